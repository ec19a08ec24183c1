/// The shape that a GPU takes for a pass of a CPML's corrections.
#pragma once

#include "boundary/cpml/cpml_adjoint_tile.hpp"
#include "boundary/cpml/cpml_lines.hpp"
#include "boundary/cpml/cpml_march.hpp"
#include "boundary/cpml/cpml_tile.hpp"

namespace minimod {

/// Calls run.operator()<Shape>(): across x tiles as wide as the layers need, with as many rows as fit into
/// what a kernel may declare, and wider layers straight from memory; across y and z vectors of lines, where
/// the memory has them. Of other orders than 8, and in double, lines one by one.
template <class Terms, class Run>
void with_device_shape(const CpmlPass<float, Terms>& pass, const Run& run) {
  if (pass.radius != stencil_radius) return run.template operator()<CpmlLineByLine>();
  const auto runs_one_of = [&]<class... Shapes>() {
    return ((Shapes::takes(pass) && (run.template operator()<Shapes>(), true)) || ...);
  };
  using Vector = Vector4<float>;
  constexpr int at_once = Terms::media == 0 ? 2 : 1;  // two with media do not stay in registers
  if (pass.axis == 0) {
    if constexpr (Terms::media == 0) {
      runs_one_of.template operator()<CpmlTile<24, 32, 4, 8>, CpmlTile<32, 32, 4, 8>, CpmlTile<40, 64, 8, 4>,
                                      CpmlTile<88, 32, 8, 4>, CpmlMarches<0, float, 4>>();
    } else {
      runs_one_of
          .template operator()<CpmlTile<24, 32, 4, 8, Terms::media>, CpmlTile<40, 32, 4, 4, Terms::media>,
                               CpmlTile<88, 16, 4, 4, Terms::media>, CpmlMarches<0, float, 4>>();
    }
  } else if (pass.axis == 1) {
    runs_one_of.template operator()<CpmlMarches<1, Vector, at_once>, CpmlMarches<1, float, 4>>();
  } else {
    runs_one_of.template operator()<CpmlMarches<2, Vector, at_once>, CpmlMarches<2, float, 4>>();
  }
}
template <class Terms, class Run>
void with_device_shape(const CpmlPass<double, Terms>& /*pass*/, const Run& run) {
  run.template operator()<CpmlLineByLine>();
}

/// Calls run.operator()<Shape>() with the tile of a transposed layer on a face; false where the layer is
/// wider than what a kernel may declare.
template <class Run>
bool with_device_shape(const CpmlAdjointFace& face, const Run& run) {
  const auto runs_one_of = [&]<class... Shapes>() {
    return ((Shapes::takes(face) && (run.template operator()<Shapes>(), true)) || ...);
  };
  if (face.axis == 0) {
    return runs_one_of.template operator()<CpmlAdjointTile<true, 12>, CpmlAdjointTile<true, 28>,
                                           CpmlAdjointTile<true, 56>, CpmlAdjointTile<true, 88>>();
  }
  return runs_one_of.template operator()<CpmlAdjointTile<false, 12>, CpmlAdjointTile<false, 28>,
                                         CpmlAdjointTile<false, 56>, CpmlAdjointTile<false, 112>>();
}

}  // namespace minimod
