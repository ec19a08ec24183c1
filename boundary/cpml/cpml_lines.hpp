/// How a GPU computes a CPML's correction with differences of any order, in either precision, where the
/// marches and tiles, which are made for floats and order 8, do not: a thread goes twice along its line
/// through the layer, straight from memory, for ψ and then for ζ and u⁺.
#pragma once

#include "boundary/cpml/cpml.hpp"
#include "kernels/shape.hpp"

namespace minimod {

struct CpmlLineByLine : ShapeDefaults {
  static constexpr const char* family = "cpml";
  static constexpr Extent3 threads{32, 4, 1};
  struct Shared {};

  static MINIMOD_HD int tiles_abreast(const Box3& box) { return ceil_div(box.end.x, threads.x); }
  static Extent3 blocks(const Box3& box) {
    return {tiles_abreast(box) * ceil_div(box.end.y, threads.y), box.end.z, 1};
  }

  template <class Block, class Pass>
  MINIMOD_HD void operator()(const Block& block, const Pass& pass, Shared& /*shared*/) const {
    using Real = typename Pass::Real;
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
      psi = renewed(pass.a[i], pass.b[i], psi,
                    Pass::Terms::template flux<any_radius>(
                        pass, [&](int m) { return u[m * field.along]; },
                        media_at(pass, line + i * field.along, field.along)));
    }
    for (int i = layer.begin_corrected; i < layer.end_corrected; ++i) {
      correct(pass, layer, i, line + i * field.along, memory + i * layer.memory.along);
    }
  }

 private:
  /// The media along a line, counted from the point that stands at `at`.
  template <class Pass>
  static MINIMOD_HD auto media_at(const Pass& pass, std::int64_t at, std::int64_t along) {
    return [&pass, at, along](int k, int m) { return pass.media[k][at + m * along]; };
  }

  /// Point i, which stands at `at` in the fields and at `kept` in ψ and ζ.
  template <class Pass>
  static MINIMOD_HD void correct(const Pass& pass, const CpmlLayer& layer, int i, std::int64_t at,
                                 std::int64_t kept) {
    using Real = typename Pass::Real;
    const std::int64_t along = lines_along(pass.axis, pass.layout).along;
    const Real of_psi = slope<any_radius>(pass, [&](int m) {
      return layer.contains(i + m) ? pass.psi[kept + m * layer.memory.along] : Real(0);
    });
    Real terms = of_psi;
    if (layer.contains(i)) {
      terms = renewed_terms<any_radius>(
          pass, of_psi, [&](int m) { return pass.u[at + m * along]; }, media_at(pass, at, along),
          [&](Real met) {
            Real& zeta = pass.zeta[kept];
            return zeta = renewed(pass.a[i], pass.b[i], zeta, met);
          });
    }
    pass.u_next[at] = corrected(pass.u_next[at], pass.v2dt2[at], terms);
  }
};

}  // namespace minimod
