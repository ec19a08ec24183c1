/// The equations that a wave's families, kernels compiled when asked for and the host's own compute: a line
/// each.
#pragma once

#include "kernels/code_shape.hpp"
#include "kernels/equations/density.hpp"
#include "kernels/equations/jacobi.hpp"
#include "kernels/equations/vti.hpp"

namespace minimod {

/// An equation as a template over the formulas of update.hpp, and how a compiler is told of it.
struct EquationLine {
  static constexpr bool has_wave_star = false;  ///< reads its star alone, as families of one star want it
  static constexpr bool has_layers = true;      ///< formulas that damp, beside the inner one
};
struct WaveLine : EquationLine {
  template <class Formula>
  using Of = Formula;
  static constexpr const char *type = "", *header = "kernels/update.hpp";
  static constexpr bool has_wave_star = true;
};
struct JacobiLine : EquationLine {
  template <class Formula>
  using Of = Jacobi<Formula>;
  static constexpr const char *type = "Jacobi", *header = "kernels/equations/jacobi.hpp";
  static constexpr bool has_wave_star = true, has_layers = false;
};
struct DensityLine : EquationLine {
  template <class Formula>
  using Of = Density<Formula>;
  static constexpr const char *type = "Density", *header = "kernels/equations/density.hpp";
};
struct VtiLine : EquationLine {
  template <class Formula>
  using Of = Vti<Formula>;
  static constexpr const char *type = "Vti", *header = "kernels/equations/vti.hpp";
};

/// Calls work.operator()<Line>() of an equation.
template <class Work>
decltype(auto) with_equation(Equation equation, const Work& work) {
  switch (equation) {
    case Equation::density:
      return work.template operator()<DensityLine>();
    case Equation::vti:
      return work.template operator()<VtiLine>();
    case Equation::jacobi:
      return work.template operator()<JacobiLine>();
    case Equation::wave:
      break;
  }
  return work.template operator()<WaveLine>();
}

// Captures, since nvcc warns of a lambda without any, which would convert to a function.
[[nodiscard]] inline bool has_wave_star(Equation equation) {
  return with_equation(equation, [&]<class Line>() { return Line::has_wave_star; });
}

[[nodiscard]] inline bool has_layers(Equation equation) {
  return with_equation(equation, [&]<class Line>() { return Line::has_layers; });
}

/// The planners of an equation's formulas: planner(formula) is one.
template <class Planner>
[[nodiscard]] LaunchPlanners planners_of_formulas(Equation equation, const Planner& planner) {
  LaunchPlanners planners;
  planners.inner = planner(Formula::inner);
  if (!has_layers(equation)) return planners;
  planners.pml = planner(Formula::pml);
  planners.mixed = planner(Formula::mixed);
  return planners;
}

/// Planners of an equation's built-in kernels, each by planner.operator()<Update>().
template <class Real, int Radius, class Planner>
[[nodiscard]] LaunchPlanners planners_of_updates(Equation equation, const Planner& planner) {
  return with_equation(equation, [&]<class Line>() {
    LaunchPlanners planners;
    planners.inner = planner.template operator()<typename Line::template Of<InnerUpdate<Real, Radius>>>();
    if constexpr (Line::has_layers) {
      planners.pml = planner.template operator()<typename Line::template Of<PmlUpdate<Real, Radius>>>();
      planners.mixed = planner.template operator()<typename Line::template Of<MixedUpdate<Real, Radius>>>();
    }
    return planners;
  });
}

/// The arguments of an equation's kernels.
template <class Line, class Real, int Radius>
using ArgsOf = typename Line::template Of<InnerUpdate<Real, Radius>>::Args;

/// Calls work.operator()<Args>() with those of an equation's kernels of that radius and precision.
template <class Work>
decltype(auto) with_args(Equation equation, int radius, Precision precision, const Work& work) {
  return with_equation(equation, [&]<class Line>() -> decltype(auto) {
    return with_stencil(precision, radius, [&]<class Real, int Radius>() -> decltype(auto) {
      return work.template operator()<ArgsOf<Line, Real, Radius>>();
    });
  });
}

}  // namespace minimod
