/// How cases and tests compare fields and traces.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "src/base/reals.hpp"

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

/// √(Σ (a − b)² / Σ b²); infinite where a value is not finite, the sizes differ or `b` is zero.
template <class Real>
double relative_l2(const std::vector<Real>& a, const std::vector<Real>& b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a.size() != b.size()) return infinity;
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(double{a[i]} - b[i], 2);
    size += std::pow(double{b[i]}, 2);
  }
  const double error = std::sqrt(difference / size);
  return std::isnan(error) ? infinity : error;
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
