/// How equations are named.
#pragma once

#include "kernels/grid.hpp"
#include "src/base/choices.hpp"

namespace minimod {

inline constexpr NamedChoice<Equation> equation_names[] = {{Equation::wave, "wave"},
                                                           {Equation::jacobi, "jacobi"},
                                                           {Equation::density, "density"},
                                                           {Equation::vti, "vti"}};

[[nodiscard]] inline std::string equation_name(Equation equation) {
  return name_in(equation_names, equation);
}

}  // namespace minimod
