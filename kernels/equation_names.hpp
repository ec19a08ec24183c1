/// The equations that runs take, and how they are named.
#pragma once

#include "src/base/choices.hpp"

namespace minimod {

/// The equation that a step advances.
enum class Equation {
  wave,     ///< the acoustic wave equation, with its layers: that of the built-in shapes
  jacobi,   ///< Jacobi iterations of its star, a yardstick (kernels/equations/jacobi.hpp)
  density,  ///< acoustic waves where the density varies (kernels/equations/density.hpp)
  vti,      ///< acoustic waves in a medium with a vertical axis of symmetry (kernels/equations/vti.hpp)
};

inline constexpr NamedChoice<Equation> equation_names[] = {{Equation::wave, "wave"},
                                                           {Equation::jacobi, "jacobi"},
                                                           {Equation::density, "density"},
                                                           {Equation::vti, "vti"}};

[[nodiscard]] inline std::string equation_name(Equation equation) {
  return name_in(equation_names, equation);
}

}  // namespace minimod
