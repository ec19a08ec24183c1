/// Options and models that an equation beside the wave's takes.
#pragma once

#include "models/velocity_model.hpp"
#include "src/job/plan/shot_options.hpp"
#include "src/solver/equation_facts.hpp"

namespace minimod {

/// Error 64 for options of a shot that do not go with its equation.
void check_equation_options(const ShotOptions& options, BoundaryKind layer);

/// Error 64 for a layer or a free surface that an equation has not.
void check_equation_boundary(Equation equation, BoundaryKind layer, bool free_surface);

/// Error 64 where a model does not have the columns of the equation, or values that they must not have.
void check_columns(const VelocityModel& model, Equation equation);

/// "/1000", the usual values of its columns behind V.
[[nodiscard]] std::string usual_text(const EquationFacts& equation);

/// "rho", "epsilon/delta": what a model says behind V.
[[nodiscard]] std::string columns_text(Equation equation);

/// "density, 1/(rho V^2) p_tt - ...".
[[nodiscard]] std::string equation_fact(Equation equation);

}  // namespace minimod
