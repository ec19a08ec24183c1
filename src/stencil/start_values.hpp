/// Values of a specification's arrays before the first step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/random_field.hpp"
#include "src/stencil/evaluation.hpp"
#include "src/stencil/facts.hpp"
#include "src/stencil/language/specification.hpp"
#include "src/stencil/start_file.hpp"

namespace minimod::stencil {

/// Start of an array at any point of a grid and of the halo around it, as the specification says it; of a
/// range values that depend on array and point alone, rounded to the array's precision. Arrays of which one
/// takes over the other's values have the same halo, which no step changes. Inside, an output is NaN.
class StartValues {
 public:
  /// The specification must outlive it. Errors: those of a file that an array starts from.
  StartValues(const Specification& specification, int array, Extent3 n)
      : grid_{{}, {n.x, n.y, n.z}},
        is_output_(specification.arrays[array].is_output),
        inside_(specification, array, n),
        halo_(specification, last_heir_of(specification, array), n) {}

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

  struct Source {
    const Specification& specification;
    const Start& start;
    Extent3 n;
    std::uint32_t seed;
    bool is_float;

    Source(const Specification& of, int array, Extent3 points)
        : specification(of),
          start(of.arrays[array].start),
          n(points),
          seed(static_cast<std::uint32_t>(array)),
          is_float(of.arrays[array].precision == Precision::float32) {
      if (start.file != nullptr) start.file->load();
    }

    [[nodiscard]] double at(Index3 point) const {
      const double value = exact(point);
      return is_float ? static_cast<float>(value) : value;
    }
    [[nodiscard]] double exact(Index3 point) const {
      if (start.file != nullptr) return start.file->at(point, n);
      if (!start.value.empty()) return of_expression(point);
      const double share = (1 + double{random_value(seed, point.x, point.y, point.z)}) / 2;
      return start.least + (start.greatest - start.least) * share;
    }
    [[nodiscard]] double of_expression(Index3 point) const {
      const int coordinates[] = {point.x, point.y, point.z, n.x, n.y, n.z};
      return evaluate(start.value, [&](const Term& term) {
        if (term.kind == Term::Kind::coordinate) return static_cast<double>(coordinates[term.index]);
        return term.kind == Term::Kind::number ? term.number : specification.scalars[term.index].value;
      });
    }
  };

  Box3 grid_;
  bool is_output_;
  Source inside_, halo_;
};

}  // namespace minimod::stencil
