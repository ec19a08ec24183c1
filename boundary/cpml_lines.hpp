/// How a GPU computes a CPML's correction with differences of any order, in either precision, where the
/// marches and tiles, which are made for floats and order 8, do not: a thread goes twice along its line
/// through the layer, straight from memory, for ψ and then for ζ and u⁺.
#pragma once

#include "boundary/cpml.hpp"
#include "kernels/shape.hpp"

namespace minimod {

template <class Real>
struct CpmlLineByLine : ShapeDefaults {
  static constexpr const char* family = "cpml";
  static constexpr Extent3 threads{32, 4, 1};
  struct Shared {};

  static MINIMOD_HD int tiles_abreast(const Box3& box) { return ceil_div(box.end.x, threads.x); }
  static Extent3 blocks(const Box3& box) {
    return {tiles_abreast(box) * ceil_div(box.end.y, threads.y), box.end.z, 1};
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const CpmlPass<Real>& pass, Shared& /*shared*/) const {
    const int tiles = tiles_abreast(pass.box);
    const int abreast = block.index().x % tiles * threads.x + block.thread().x;
    const int other = block.index().x / tiles * threads.y + block.thread().y;
    if (abreast >= pass.box.end.x || other >= pass.box.end.y) return;
    const CpmlLayer& layer = pass.layers[block.index().y];
    const LineLayout field = lines_along(pass.axis, pass.layout);
    const std::int64_t line = field.index(0, abreast, other), memory = layer.memory.index(0, abreast, other);
    for (int i = layer.begin; i < layer.end; ++i) {
      const Real* const u = pass.u + line + i * field.along;
      Real& psi = pass.psi[memory + i * layer.memory.along];
      psi =
          renewed(pass.a[i], pass.b[i], psi, slope_of_pass(pass, [&](int m) { return u[m * field.along]; }));
    }
    for (int i = layer.begin_corrected; i < layer.end_corrected; ++i) {
      correct(pass, layer, i, line + i * field.along, memory + i * layer.memory.along);
    }
  }

 private:
  /// Point i, which stands at `at` in the fields and at `kept` in ψ and ζ.
  static MINIMOD_HD void correct(const CpmlPass<Real>& pass, const CpmlLayer& layer, int i, std::int64_t at,
                                 std::int64_t kept) {
    const std::int64_t along = lines_along(pass.axis, pass.layout).along;
    const Real of_psi = slope_of_pass(pass, [&](int m) {
      return layer.contains(i + m) ? pass.psi[kept + m * layer.memory.along] : Real(0);
    });
    Real terms = of_psi;
    if (layer.contains(i)) {
      const Real of_u = curvature_of_pass(pass, [&](int m) { return pass.u[at + m * along]; });
      Real& zeta = pass.zeta[kept];
      zeta = renewed(pass.a[i], pass.b[i], zeta, of_u + of_psi);
      terms += zeta;
    }
    pass.u_next[at] = corrected(pass.u_next[at], pass.v2dt2[at], terms);
  }

  /// `slope` and `curvature` of the pass's order.
  template <class Line>
  static MINIMOD_HD Real slope_of_pass(const CpmlPass<Real>& pass, const Line& line) {
    Real sum = 0;
    for (int m = 1; m <= pass.radius; ++m) sum = fused(pass.first[m - 1], line(m) - line(-m), sum);
    return sum;
  }
  template <class Line>
  static MINIMOD_HD Real curvature_of_pass(const CpmlPass<Real>& pass, const Line& line) {
    Real sum = pass.centre * line(0);
    for (int m = 1; m <= pass.radius; ++m) sum = fused(pass.second[m - 1], line(m) + line(-m), sum);
    return sum;
  }
};

}  // namespace minimod
