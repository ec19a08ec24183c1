/// The shape that a GPU takes for a pass of a CPML's corrections.
#pragma once

#include "boundary/cpml_lines.hpp"
#include "boundary/cpml_march.hpp"
#include "boundary/cpml_tile.hpp"

namespace minimod {

/// Calls run.operator()<Shape>(): across x tiles as wide as the layers need, with as many rows as fit into
/// what a kernel may declare, and wider layers straight from memory; across y and z vectors of lines, where
/// the memory has them. Of other orders than 8, and in double, lines one by one.
template <class Run>
void with_device_shape(const CpmlPass<float>& pass, const Run& run) {
  if (pass.radius != stencil_radius) return run.template operator()<CpmlLineByLine<float>>();
  const auto runs_one_of = [&]<class... Shapes>() {
    return ((Shapes::takes(pass) && (run.template operator()<Shapes>(), true)) || ...);
  };
  using Vector = Vector4<float>;
  if (pass.axis == 0) {
    runs_one_of.template operator()<CpmlTile<24, 32, 4, 8>, CpmlTile<32, 32, 4, 8>, CpmlTile<40, 64, 8, 4>,
                                    CpmlTile<88, 32, 8, 4>, CpmlMarches<0, float, 4>>();
  } else if (pass.axis == 1) {
    runs_one_of.template operator()<CpmlMarches<1, Vector, 2>, CpmlMarches<1, float, 4>>();
  } else {
    runs_one_of.template operator()<CpmlMarches<2, Vector, 2>, CpmlMarches<2, float, 4>>();
  }
}
template <class Run>
void with_device_shape(const CpmlPass<double>& /*pass*/, const Run& run) {
  run.template operator()<CpmlLineByLine<double>>();
}

}  // namespace minimod
