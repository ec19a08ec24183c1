/// What the arrays of a specification have before the first step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/random_field.hpp"
#include "src/stencil/specification.hpp"

namespace minimod::stencil {

/// Of `array` on a grid of `n` points and in the halo around it: values of its range that depend on array and
/// point alone, rounded to the array's precision. Arrays of which one takes over the other's values have the
/// same halo, which no step changes. Inside, an output is NaN.
class StartValues {
 public:
  StartValues(const Specification& specification, int array, Extent3 n)
      : grid_{{}, {n.x, n.y, n.z}},
        is_output_(specification.arrays[array].is_output),
        inside_(specification, array),
        halo_(specification, last_heir_of(specification, array)) {}

  [[nodiscard]] double at(Index3 point) const {
    if (!grid_.contains(point)) return halo_.at(point);
    return is_output_ ? nan : inside_.at(point);
  }

  /// Has the values at (x, y, z) in row[x], for x from `begin` to before `end`.
  template <class Value>
  void fill_row(int begin, int end, int y, int z, Value* row) const {
    const auto fill = [&](const Source& source, int from, int to) {
      for (int x = from; x < to; ++x) row[x] = static_cast<Value>(source.at({x, y, z}));
    };
    if (!grid_.contains({0, y, z})) return fill(halo_, begin, end);
    const int first = std::max(begin, 0), last = std::min(end, grid_.end.x);
    fill(halo_, begin, first);
    if (is_output_) {
      std::fill(row + first, row + last, static_cast<Value>(nan));
    } else {
      fill(inside_, first, last);
    }
    fill(halo_, last, end);
  }

 private:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  /// Random values of an array's range.
  struct Source {
    std::uint32_t seed;
    double least, width;
    bool is_float;

    Source(const Specification& specification, int array)
        : seed(static_cast<std::uint32_t>(array)),
          least(specification.arrays[array].least),
          width(specification.arrays[array].greatest - least),
          is_float(specification.arrays[array].precision == Precision::float32) {}

    [[nodiscard]] double at(Index3 point) const {
      const double share = (1 + double{random_value(seed, point.x, point.y, point.z)}) / 2;
      const double value = least + width * share;
      return is_float ? static_cast<float>(value) : value;
    }
  };

  Box3 grid_;
  bool is_output_;
  Source inside_, halo_;
};

}  // namespace minimod::stencil
