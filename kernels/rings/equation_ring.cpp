#include "kernels/rings/equation_ring.hpp"

namespace minimod {

EquationRingFacts equation_ring_facts(Equation equation, int radius, Precision precision, Formula formula) {
  return with_equation(equation, [&]<class Line>() {
    return with_stencil(precision, radius, [&]<class Real, int R>() {
      const auto facts_of = []<class Of>() {
        constexpr EquationRingShape shape = equation_ring_shape<Of>();
        return EquationRingFacts{shape, bytes_of_rings<Of>(shape)};
      };
      return formula == Formula::inner
                 ? facts_of.template operator()<typename Line::template Of<InnerUpdate<Real, R>>>()
                 : facts_of.template operator()<typename Line::template Of<PmlUpdate<Real, R>>>();
    });
  });
}

}  // namespace minimod
