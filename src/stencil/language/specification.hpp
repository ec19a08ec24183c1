/// A stencil as its specification states it: arrays, scalars, and equations that hold at every point of a
/// grid. kernels/stencils/README.md has the language.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "src/base/choices.hpp"
#include "src/base/extents.hpp"
#include "src/base/precision.hpp"

namespace minimod::stencil {

/// Limits of a specification; more is refused before memory is taken for it.
namespace limits {
inline constexpr std::size_t file_bytes = 64 << 10;
inline constexpr std::size_t arrays = 32, scalars = 64, temporaries = 64;
inline constexpr std::size_t operands = 1024;  ///< numbers, scalars, temporaries and loads in all equations
inline constexpr int nesting = 32;             ///< depth of parentheses
inline constexpr int radius = 16;              ///< length of an offset, in points
inline constexpr std::size_t name_length = 32;
}  // namespace limits

using minimod::Precision;

inline constexpr NamedChoice<Precision> precisions[] = {{Precision::float32, "float"},
                                                        {Precision::float64, "double"}};

/// A piece of an expression in postfix order: an operand, or an operation on the values before it.
struct Term {
  enum class Kind {
    // operands
    number,
    scalar,
    temporary,
    load,
    coordinate,
    // on the last two values
    add,
    subtract,
    multiply,
    divide,
    lesser,
    greater,
    // on the last one
    negate,
    magnitude,
    root
  };

  Kind kind = Kind::number;
  double number = 0;
  int index = 0;       ///< index of the scalar, the temporary, the array, or in coordinate_names
  Index3 offset = {};  ///< offset of the load from the point, in points along x (i), y (j) and z (k)
};

[[nodiscard]] constexpr bool is_operand(Term::Kind kind) {
  return kind <= Term::Kind::coordinate;
}
/// Whether it is an operation on two values.
[[nodiscard]] constexpr bool is_binary(Term::Kind kind) {
  return kind >= Term::Kind::add && kind <= Term::Kind::greater;
}

/// The point's numbers along x, y and z, from 0 on the grid, and the grid's points.
inline constexpr const char* coordinate_names[] = {"i", "j", "k", "ni", "nj", "nk"};

using Expression = std::vector<Term>;

class StartFile;

/// Values of an input before the first step: random values of a range, an expression's, or a file's.
struct Start {
  double least = -1, greatest = 1;  ///< ends of the range
  /// Expression of numbers, scalars and coordinates; empty: another start.
  Expression value;
  std::shared_ptr<const StartFile> file;  ///< null: another start
};

struct Array {
  static constexpr int keeps = -1;

  std::string name;
  Precision precision = Precision::float32;
  bool is_output = false;
  Start start;
  int next = keeps;  ///< the array whose values it takes over for the next step
};

struct Scalar {
  std::string name;
  double value = 0;
};

/// A value for a temporary, or for an output array at the point. `t += e` is t = t + (e).
struct Equation {
  bool to_array = false;
  int target = 0;  ///< index of the array or of the temporary
  Expression value;
};

struct Specification {
  std::string name;
  std::string summary;  ///< the comment of the first line
  std::string source;   ///< the text that says all this
  std::vector<Array> arrays;
  std::vector<Scalar> scalars;
  std::vector<std::string> temporaries;
  std::vector<Equation> equations;  ///< in the order in which they are computed
};

[[nodiscard]] inline bool has_arrays_in(const Specification& specification, Precision precision) {
  return std::ranges::count(specification.arrays, precision, &Array::precision) > 0;
}

}  // namespace minimod::stencil
