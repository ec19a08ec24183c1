/// How far a field is from the right one.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

namespace minimod {

/// Σ (a − b)² and Σ b² over the points of a field or a part of it.
struct FieldDifference {
  double squares = 0, of_right = 0;

  void add(double found, double right) {
    squares += (found - right) * (found - right);
    of_right += right * right;
  }
  /// √(Σ (a − b)² / Σ b²); infinite where a value is not finite or all of `b` are zero.
  [[nodiscard]] double relative() const {
    const double error = std::sqrt(squares / of_right);
    return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
  }
};

/// Difference of fields of one size.
template <class Real>
FieldDifference difference_of(const std::vector<Real>& found, const std::vector<Real>& right) {
  FieldDifference all;
  for (std::size_t i = 0; i < found.size(); ++i) all.add(found[i], right[i]);
  return all;
}

/// Error relative to the whole field, whose part each rank has.
template <class Cut>
double relative_to_all(const FieldDifference& here, const Cut& cut) {
  FieldDifference all;
  for (const FieldDifference& part : cut.gather(here)) {
    all = {all.squares + part.squares, all.of_right + part.of_right};
  }
  return all.relative();
}

}  // namespace minimod
