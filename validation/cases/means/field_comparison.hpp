/// How cases and tests compare fields and traces.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "boundary/regions.hpp"
#include "src/base/error.hpp"
#include "src/base/extents.hpp"
#include "src/base/reals.hpp"
#include "src/measure/field_comparison.hpp"

namespace minimod {

/// Greatest difference over greatest value of `b`; infinite where a value is not finite or the sizes differ.
template <class Real = double>
double relative_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a.size() != b.size()) return infinity;
  double difference = 0, greatest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return infinity;
    difference = std::max(difference, std::abs(double{a[i]} - b[i]));
    greatest = std::max(greatest, std::abs(double{b[i]}));
  }
  return difference > 0 ? difference / greatest : 0;
}

/// FieldDifference::relative; infinite where the sizes differ.
template <class Real>
double relative_l2(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() ? difference_of(a, b).relative() : std::numeric_limits<double>::infinity();
}

/// A value that is not what it should be.
struct WrongPoint {
  Index3 at;
  double found = 0, right = 0;
  [[nodiscard]] std::string told() const {
    return text('(', at.x, ", ", at.y, ", ", at.z, "): ", found, ", not ", right);
  }
};

/// The first, x fastest, of two fields of `n` points that is further from the right one than `tolerance`
/// times the greatest of these, or that is not finite; nothing where all are near.
template <class Real>
std::optional<WrongPoint> first_wrong_point(const std::vector<Real>& found, const std::vector<Real>& right,
                                            Extent3 n, double tolerance) {
  double greatest = 0;
  for (const Real value : right) greatest = std::max(greatest, std::abs(double{value}));
  for (std::size_t i = 0; i < std::min(found.size(), right.size()); ++i) {
    if (std::abs(double{found[i]} - right[i]) <= tolerance * greatest) continue;
    const auto item = static_cast<std::int64_t>(i);
    return WrongPoint{{static_cast<int>(item % n.x), static_cast<int>(item / n.x % n.y),
                       static_cast<int>(item / n.x / n.y)},
                      found[i],
                      right[i]};
  }
  return std::nullopt;
}

/// "inner" or the name of the PML region that has the point, with its extents: "top, 40 x 30 x 5 points".
inline std::string region_of(const Regions& regions, Index3 p) {
  std::string name = "inner";
  Box3 box = regions.inner;
  for (std::size_t i = 0; i < pml_names.size(); ++i) {
    if (!regions.pml[i].contains(p)) continue;
    name = pml_names[i];
    box = regions.pml[i];
  }
  const Extent3 n = box.extent();
  return text(name, ", ", n.x, " x ", n.y, " x ", n.z, " points");
}

inline bool same_bits(const Reals& a, const Reals& b) {
  return a.precision() == b.precision() && a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}
template <class Real>
bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

}  // namespace minimod
