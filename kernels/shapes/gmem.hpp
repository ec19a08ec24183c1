/// Family `gmem`: 3-D blocks, one thread a point, nothing staged: all values (of the wave equation 25 of u)
/// straight from global memory, served by L1 and L2; no shared memory, no barrier. Sai et al., "Accelerating
/// High-Order Stencils on GPUs" (PMBS 2020), section IV.1.
///
/// Family `naive` of specifications: the same on a plane, V points side by side a thread, by vectors of V.
#pragma once

#include "kernels/equation.hpp"

namespace minimod {

template <class Equation, int Dx, int Dy, int Dz, int V = 1>
struct Gmem : ShapeDefaults {
  static constexpr const char* family = "gmem";
  static constexpr FamilyNames names{{"gmem", "naive", "coalesced"}};
  static constexpr const char* summary = "3-D blocks, loads straight from global memory";
  static constexpr bool takes_any_equation = true;
  static constexpr Extent3 tile{Dx, Dy, Dz};
  static constexpr Extent3 default_tile{8, 8, 8};  // fastest of the family on a V100 (Table II)
  static constexpr Extent3 threads{Dx / V, Dy, Dz};
  static_assert(V == 1 || (updates_all<Equation> && Dz == 1), "points side by side are stored at once");
  struct Shared {};

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Equation::Args& args, Shared&) const {
    const Memory<Equation, Block> memory{args, block};
    const Index3 t = block.thread();
    if constexpr (V == 1) {
      const Index3 p = tile_point(args.box.begin, tile, block.index(), t);
      if (is_computed<Equation>(args, p))
        compute_point<Equation>(block, MemoryPoint<Equation, Block>{memory, p});
    } else {  // rows of a plane begin in the box: there are two ends to ask for
      const Index3 p = tile_point(args.box.begin, tile, block.index(), {V * t.x, t.y, 0});
      if (p.x < args.box.end.x && p.y < args.box.end.y) compute_from_memory<V>(memory, p);
    }
  }
};

template <class Equation, int Dx, int Dy, int V>
struct Naive : Gmem<Equation, Dx, Dy, 1, V> {
  static constexpr const char *family = "naive", *header = "gmem.hpp";
  static constexpr bool is_plane = true;
  static constexpr int vector_width = V;
  static constexpr VectorWidths vectors = values_or_vectors;
  static constexpr Extent3 threads_of(const ShapeParameters& of, KernelKind) {
    return {of.tile.x / of.vector_width, of.tile.y, 1};
  }
  static constexpr Refusal refusal(const ShapeParameters& of, int) { return why_no_whole_vectors(of); }
};

}  // namespace minimod
