/// The equations that a wave's families, kernels compiled when asked for and the host's own play: a line
/// each.
#pragma once

#include "kernels/equations/density.hpp"
#include "kernels/equations/vti.hpp"

namespace minimod {

/// An equation as a template over the formulas of update.hpp, and how a compiler is told of it.
struct WaveLine {
  template <class Formula>
  using Of = Formula;
  static constexpr const char *type = "", *header = "kernels/update.hpp";
};
struct DensityLine {
  template <class Formula>
  using Of = Density<Formula>;
  static constexpr const char *type = "Density", *header = "kernels/equations/density.hpp";
};
struct VtiLine {
  template <class Formula>
  using Of = Vti<Formula>;
  static constexpr const char *type = "Vti", *header = "kernels/equations/vti.hpp";
};

/// Calls work.operator()<Line>() of an equation; Jacobi's is a formula of the wave's.
template <class Work>
decltype(auto) with_equation(Equation equation, const Work& work) {
  switch (equation) {
    case Equation::density:
      return work.template operator()<DensityLine>();
    case Equation::vti:
      return work.template operator()<VtiLine>();
    case Equation::wave:
    case Equation::jacobi:
      break;
  }
  return work.template operator()<WaveLine>();
}

/// The arguments of an equation's kernels.
template <class Line, class Real, int Radius>
using ArgsOf = typename Line::template Of<InnerUpdate<Real, Radius>>::Args;

/// Calls work.operator()<Args>() with those of a stencil.
template <class Work>
decltype(auto) with_args(Equation equation, int radius, Precision precision, const Work& work) {
  return with_equation(equation, [&]<class Line>() -> decltype(auto) {
    return with_stencil(precision, radius, [&]<class Real, int Radius>() -> decltype(auto) {
      return work.template operator()<ArgsOf<Line, Real, Radius>>();
    });
  });
}

}  // namespace minimod
