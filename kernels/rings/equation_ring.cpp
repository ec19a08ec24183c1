#include "kernels/rings/equation_ring.hpp"

#include <algorithm>
#include <limits>

namespace minimod {

EquationRingFacts equation_ring_facts(Equation equation, int radius, Precision precision) {
  return with_equation(equation, [&]<class Line>() {
    return with_stencil(precision, radius, [&]<class Real, int R>() {
      using Inner = typename Line::template Of<InnerUpdate<Real, R>>;
      using Pml = typename Line::template Of<PmlUpdate<Real, R>>;
      constexpr int wide = std::numeric_limits<int>::max();
      constexpr EquationRingShape inner = equation_ring_shape<Inner>(wide),
                                  layer = equation_ring_shape<Pml>(wide),
                                  across_x = equation_ring_shape<Pml>(0);
      return EquationRingFacts{inner, layer, across_x,
                               std::max({bytes_of_rings<Inner>(inner), bytes_of_rings<Pml>(layer),
                                         bytes_of_rings<Pml>(across_x)})};
    });
  });
}

}  // namespace minimod
