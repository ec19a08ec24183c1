/// Families `smem_eta_3` and `smem_eta_1`: 3-D blocks, one thread a point, u straight from global memory as
/// `gmem`; in the PML the tile of η, a 3-D array here, and its halo of 1 in shared memory. `smem_eta_3`
/// fetches the halo under three conditionals, one an axis, with two of its planes of threads each;
/// `smem_eta_1` under one: six planes of threads along z, each tilted onto one face of the tile. A PML point
/// costs 25 loads of u, one of η and its share of the halo (0.75 at 8x8x8), 7 shared reads and one barrier;
/// (Dx+2)(Dy+2)(Dz+2) values of shared memory. The inner kernel is that of `gmem`. Sai et al., "Accelerating
/// High-Order Stencils on GPUs" (PMBS 2020), section IV.3 and algorithm 2.
#pragma once

#include <type_traits>

#include "kernels/shapes/xyz_tile.hpp"
#include "kernels/update.hpp"

namespace minimod {

/// Fetches the halo of 1 of a tile with one conditional an axis.
struct ThreeConditionals {
  static constexpr Refusal refusal(const ShapeParameters& of) { return why_too_short(of, {2, 2, 2}); }
  template <int Dx, int Dy, int Dz, class Fetch>
  static MINIMOD_HD void fetch_halo(Index3 t, const Fetch& fetch) {
    if (t.x < 2) fetch({t.x == 0 ? -1 : Dx, t.y, t.z});
    if (t.y < 2) fetch({t.x, t.y == 0 ? -1 : Dy, t.z});
    if (t.z < 2) fetch({t.x, t.y, t.z == 0 ? -1 : Dz});
  }
};

/// The same with one conditional: the planes z = 0, 1 of threads take the faces across x, 2, 3 those across
/// y, and 4, 5 those across z.
struct OneConditional {
  static constexpr Refusal refusal(const ShapeParameters& of) {
    if (of.tile.x != of.tile.y || of.tile.y != of.tile.z) return {"its tile is no cube"};
    return why_too_short(of, {6, 6, 6});
  }
  template <int Dx, int Dy, int Dz, class Fetch>
  static MINIMOD_HD void fetch_halo(Index3 t, const Fetch& fetch) {
    static_assert(Dx == Dy && Dy == Dz && Dz >= 6, "a plane of threads fits each face of a cube");
    if (t.z < 6) {
      const int beyond = t.z % 2 == 0 ? -1 : Dx;
      fetch(t.z < 2   ? Index3{beyond, t.y, t.x}
            : t.z < 4 ? Index3{t.x, beyond, t.y}
                      : Index3{t.x, t.y, beyond});
    }
  }
};

struct HaloOfOne {
  static constexpr Reach reach{{1, 1, 1}, {1, 1, 1}};
};

template <class Update, int Dx, int Dy, int Dz, class Halo>
struct SmemEta : ShapeDefaults {
  using Real = typename Update::Real;
  static constexpr Extent3 tile{Dx, Dy, Dz};
  static constexpr Extent3 default_tile{8, 8, 8};
  static constexpr Extent3 threads = tile;
  static constexpr bool needs_eta_field = true;
  struct Nothing {};
  struct EtaTile {
    XyzTile<Real, Dx, Dy, Dz, HaloOfOne> eta;
  };
  using Shared = std::conditional_t<Update::damps, EtaTile, Nothing>;

  static constexpr const char* header = "smem_eta.hpp";
  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach) {
    return tile_values(of, HaloOfOne::reach);
  }
  static constexpr Refusal refusal(const ShapeParameters& of, int) { return Halo::refusal(of); }

  template <class Block>
  struct Point : MemoryPoint<Update, Block> {
    Shared& shared;
    Index3 t;
    [[nodiscard]] MINIMOD_HD EtaValues<Real> eta() const {
      const auto at = [&](int x, int y, int z) { return shared.eta.at(t.x + x, t.y + y, t.z + z); };
      return {at(0, 0, 0), at(1, 0, 0) - at(-1, 0, 0), at(0, 1, 0) - at(0, -1, 0),
              at(0, 0, 1) - at(0, 0, -1)};
    }
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Update::Args& args, Shared& shared) const {
    const Memory<Update, Block> memory{args, block};
    const Index3 t = block.thread();
    const Index3 p = tile_point(args.box.begin, tile, block.index(), t);
    const MemoryPoint<Update, Block> in_memory{memory, p};
    if constexpr (Update::damps) {
      const Index3 first = tile_point(args.box.begin, tile, block.index(), {});
      const auto fetch = [&](Index3 offset) {
        shared.eta.fetch(offset, memory, args.eta, args.layout, first);
      };
      fetch(t);
      Halo::template fetch_halo<Dx, Dy, Dz>(t, fetch);
      block.sync();
      if (args.box.contains(p)) Update::compute(Point<Block>{in_memory, shared, t});
    } else if (args.box.contains(p)) {
      Update::compute(in_memory);
    }
  }
};

template <class Update, int Dx, int Dy, int Dz>
struct SmemEta1 : SmemEta<Update, Dx, Dy, Dz, OneConditional> {
  static constexpr const char* family = "smem_eta_1";
  static constexpr TriedTiles tried{{6, 7, 8, 9, 10}, {}, {}, true};
  static constexpr const char* summary =
      "3-D blocks, u from global memory, eta in shared memory, one conditional";
};

template <class Update, int Dx, int Dy, int Dz>
struct SmemEta3 : SmemEta<Update, Dx, Dy, Dz, ThreeConditionals> {
  static constexpr const char* family = "smem_eta_3";
  static constexpr const char* summary =
      "3-D blocks, u from global memory, eta in shared memory, three conditionals";
};

}  // namespace minimod
