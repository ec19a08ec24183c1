/// The arguments of launches of a specification, whose equations the program writes
/// (src/stencil/kernel_source.cpp).
#pragma once

#include <cmath>

#include "kernels/equation.hpp"

namespace minimod::stencil {

inline constexpr int most_arrays = 32;

/// The lesser and the greater of two values; where one is no number, none, so that memory which nobody wrote
/// shows.
template <class Real>
MINIMOD_HD inline Real lesser(Real a, Real b) {
  return a < b || a != a ? a : b;
}
template <class Real>
MINIMOD_HD inline Real greater(Real a, Real b) {
  return a > b || a != a ? a : b;
}

/// Arguments of a launch. All arrays have one layout, and the points of the box with all that is read around
/// them.
struct ArrayArgs {
  Box3 box;
  Layout layout;
  void* arrays[most_arrays];  ///< in the order of the specification
};

/// The part of the equations that all specifications share. `Arrays` has is_double, reach and is_star.
template <class Arrays>
struct OnArrays : Arrays {
  using Args = ArrayArgs;
  static constexpr bool is_read_only = false;
  using Elsewhere = ArrayList<>;
  template <int Array>
  using Value = std::conditional_t<Arrays::is_double(Array), double, float>;
  template <int Array>
  static MINIMOD_HD auto* data(const Args& args) {
    return static_cast<Value<Array>*>(args.arrays[Array]);
  }
  template <int Array>
  static MINIMOD_HD const Layout& layout(const Args& args) {
    return args.layout;
  }
};

/// The same equations with inputs that come through the GPU's read-only path.
template <class Equations>
struct ReadOnly : Equations {
  static constexpr bool is_read_only = true;
};

}  // namespace minimod::stencil
