/// The kernel of `tma_ring` with a CPML's layers across x (ring_layers.hpp).
#pragma once

#include "kernels/rings/ring_layers.hpp"
#include "kernels/rings/tma_ring_kernel.cuh"

namespace minimod {

template <class Tile>
struct LayeredRingArgs {
  RingArgs<typename Tile::Real, Tile::R> ring;
  RingLayers<Tile> layers;
};

/// Threads of the block: consumers, a warp that loads, and those that make terms.
template <class Tile>
inline constexpr int threads_of_terms = 32 * RingLayers<Tile>::warps;
template <class Tile>
inline constexpr int threads_with_terms = Tile::consumers + 32 + threads_of_terms<Tile>;

/// Terms of planes, and ψ of two, in shared memory.
template <class Tile>
struct SharedTerms {
  using Layers = RingLayers<Tile>;
  using Pair = typename Layers::Pair;
  struct Beside {
    SharedBarrier full[Layers::stages], empty[Layers::stages];
    Pair a[Layers::warps], b[Layers::warps];  ///< values of the tile at work
    __device__ void init() {
      for (SharedBarrier& barrier : full) barrier.init(Layers::warps);
      for (SharedBarrier& barrier : empty) barrier.init(Tile::consumers / 32);
    }
  };
  const Layers& layers;
  Pair* first;
  Beside& beside;

  [[nodiscard]] __device__ Pair* plane(int stage) const { return first + stage * layers.pairs_of_plane(); }
  /// ψ of a plane and the next in turns, since a warp may be one ahead of another.
  [[nodiscard]] __device__ Pair* psi(int stage) const { return plane(Layers::stages + stage % 2); }
};

/// The terms that a consumer adds to u⁺ of its points.
template <class Tile>
class TermsToAdd {
 public:
  using Values = Vector<typename Tile::Real, Tile::V>;
  __device__ explicit TermsToAdd(const SharedTerms<Tile>& terms) : terms_(terms) {}

  __device__ void enter(const Box3& tile, int tx, int ty) {
    const RingLayers<Tile>& layers = terms_.layers;
    has_layer_ = false;
    lanes_ = 0;
    for (int i = 0; i < layers.layers(); ++i) {
      const auto zone = layers.zone(i, tile.begin.x);
      has_layer_ |= zone.length() > 0;
      const int first = tx * pairs - zone.begin;
      if (first + pairs <= 0 || first >= zone.length()) continue;
      const CpmlLayer& layer = layers.pass.layers[i];
      const Box3 corrected{{layer.begin_corrected, 0, 0}, {layer.end_corrected, 0, 0}};
      lanes_ = lanes_in_box<Tile::V>(corrected, tile.begin.x + Tile::V * tx);
      at_ = first * Tile::height + Tile::rows * ty;
    }
  }
  __device__ void wait() {
    if (has_layer_) terms_.beside.full[cursor_.stage].wait(cursor_.parity);
  }
  __device__ void add(int row, Values& u_next, const Values& v2dt2) const {
    if (lanes_ == 0) return;
    const auto* const terms = terms_.plane(cursor_.stage) + at_ + row;
#pragma unroll
    for (int i = 0; i < Tile::V; ++i) {
      if ((lanes_ >> i & 1U) == 0) continue;
      const auto term = terms[i / 2 * Tile::height].value[i % 2];
      u_next.value[i] = corrected(u_next.value[i], v2dt2.value[i], term);
    }
  }
  __device__ void release(bool leads_warp) {
    if (!has_layer_) return;
    if (leads_warp) terms_.beside.empty[cursor_.stage].arrive();
    cursor_.advance();
  }

 private:
  static constexpr int pairs = Tile::V / 2;
  const SharedTerms<Tile> terms_;
  RingCursor<RingLayers<Tile>::stages> cursor_;
  bool has_layer_ = false;  ///< the tile
  unsigned lanes_ = 0;      ///< points of the thread's vectors that the layer corrects
  int at_ = 0;              ///< the first one among the terms of a plane
};

/// A value read anew, so that nothing made of it is kept in registers from plane to plane.
template <class Value>
__device__ Value anew(Value value) {
  static_assert(sizeof(Value) == sizeof(unsigned));
  asm volatile("" : "+r"(reinterpret_cast<unsigned&>(value)));
  return value;
}

/// A thread's two points of those that a layer corrects, in plane after plane of a tile. ψ and ζ of the next
/// plane are on their way while it makes the terms of one.
template <class Tile>
class PairOfTerms {
 public:
  static constexpr int R = Tile::R;
  using Real = typename Tile::Real;
  using Layers = RingLayers<Tile>;
  using Pair = typename Layers::Pair;
  using Plane = typename Tile::PlaneOfU;

  /// Sets a and b of the points in shared memory, too.
  __device__ void enter(const SharedTerms<Tile>& terms, const Box3& tile, int thread) {
    const CpmlPass<float>& pass = terms.layers.pass;
    const int warp = thread / 32, lane = thread % 32, y = tile.begin.y + lane;
    mine_ = {};
    for (int i = 0; i < terms.layers.layers(); ++i) {
      const auto zone = terms.layers.zone(i, tile.begin.x);
      if (zone.length() > 0) mine_.has_layer = 1;
      if (warp >= zone.length()) continue;
      const CpmlLayer& layer = pass.layers[i];
      const int x = tile.begin.x + 2 * (zone.begin + warp);
      const unsigned inside = lanes_in_box<2>({{layer.begin, 0, 0}, {layer.end, 0, 0}}, x);
      if (lane < 2) {
        const bool is_inside = (inside >> lane & 1U) != 0;
        terms.beside.a[warp].value[lane] = is_inside ? pass.a[x + lane] : Real(0);
        terms.beside.b[warp].value[lane] = is_inside ? pass.b[x + lane] : Real(0);
      }
      mine_.layer = i;
      mine_.length = zone.length();
      mine_.pair = zone.begin + warp;
      mine_.inside = y < pass.box.end.x ? inside : 0;
      at_ = static_cast<int>(layer.memory.index(x, y, tile.begin.z));
    }
    __syncwarp();
  }
  [[nodiscard]] __device__ bool has_layer() const { return anew(mine_).has_layer != 0; }

  __device__ void load(const CpmlPass<float>& pass) {
    const Mine mine = anew(mine_);
    const int along = mine.along(pass);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      if (!mine.has(k)) continue;
      psi_.value[k] = pass.psi[at_ + k * along];
      zeta_.value[k] = pass.zeta[at_ + k * along];
    }
  }
  /// Loads those of the next plane, and brings those of the one behind it, if there is one, into the L2.
  __device__ void go_on(const CpmlPass<float>& pass, bool is_last) {
    const Mine mine = anew(mine_);
    const int next = static_cast<int>(pass.layers[mine.layer].memory.other), along = mine.along(pass);
    at_ += next;
    load(pass);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const unsigned wanted = mine.has(k) && !is_last ? 1 : 0;
      HopperBlock::prefetch_if(wanted, pass.psi + (at_ + next + k * along));
      HopperBlock::prefetch_if(wanted, pass.zeta + (at_ + next + k * along));
    }
  }
  /// ψ a step later, in memory and in `psi`, which is of all threads; zeros beside the layer. Then the plane
  /// is needed no more.
  __device__ void renew_psi(const SharedTerms<Tile>& terms, int thread, const Plane& plane, Pair* psi) {
    const Mine mine = anew(mine_);
    if (mine.length == 0) return;
    Pair now{};
    if (mine.inside != 0) {
      const auto* const row = reinterpret_cast<const Pair*>(&plane.value[R + thread % 32][Tile::beside]);
      const Line u([&](int i) { return row[static_cast<int>(mine.pair) + i]; });
      const CpmlPass<float>& pass = terms.layers.pass;
      curvature_ = u.each([&](const auto& line) { return curvature(pass, line); });
      now = renew(mine, terms, thread, pass.psi, psi_,
                  u.each([&](const auto& line) { return slope(pass, line); }));
    }
    psi[thread] = now;
  }
  /// The terms, when ψ of all threads is there.
  __device__ void make(const SharedTerms<Tile>& terms, int thread, const Pair* psi, Pair* made) {
    const Mine mine = anew(mine_);
    if (mine.length == 0) return;
    const CpmlPass<float>& pass = terms.layers.pass;
    const int place = thread / 32, length = mine.length;
    const Line of_psi(
        [&](int i) { return place + i >= 0 && place + i < length ? psi[thread + 32 * i] : Pair{}; });
    Pair both = of_psi.each([&](const auto& line) { return slope(pass, line); });
    if (mine.inside != 0) {
      Pair met;
#pragma unroll
      for (int k = 0; k < 2; ++k) met.value[k] = curvature_.value[k] + both.value[k];
      const Pair zeta = renew(mine, terms, thread, pass.zeta, zeta_, met);
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        if (mine.has(k)) both.value[k] = both.value[k] + zeta.value[k];
      }
    }
    made[thread] = both;
  }

 private:
  struct Mine {
    unsigned has_layer : 1;  ///< the tile
    unsigned layer : 1;
    unsigned length : 4;  ///< pairs that it corrects; 0: the thread has none
    unsigned pair : 8;    ///< in the tile's row
    unsigned inside : 2;  ///< points in the layer, and in the grid
    [[nodiscard]] __device__ bool has(int k) const { return (inside >> k & 1U) != 0; }
    /// From a point to the next in ψ and ζ.
    [[nodiscard]] __device__ int along(const CpmlPass<float>& pass) const {
      return static_cast<int>(pass.layers[layer].memory.along);
    }
  };
  /// Values of a row around a pair, as far as the differences reach.
  struct Line {
    static constexpr int beside = ceil_div(R, 2);
    Pair pairs[2 * beside + 1];
    /// at(i): the pair i places to the right.
    template <class At>
    __device__ explicit Line(const At& at) {
#pragma unroll
      for (int i = -beside; i <= beside; ++i) pairs[beside + i] = at(i);
    }
    template <class Of>
    [[nodiscard]] __device__ Pair each(const Of& of) const {
      Pair values;
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        values.value[k] = of([&](int m) {
          const int place = 2 * beside + k + m;
          return pairs[place / 2].value[place % 2];
        });
      }
      return values;
    }
  };

  [[nodiscard]] __device__ Pair renew(const Mine& mine, const SharedTerms<Tile>& terms, int thread,
                                      float* memory, const Pair& before, const Pair& met) const {
    const int along = mine.along(terms.layers.pass);
    const Pair a = terms.beside.a[thread / 32], b = terms.beside.b[thread / 32];
    Pair now{};
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      if (!mine.has(k)) continue;
      now.value[k] = renewed(a.value[k], b.value[k], before.value[k], met.value[k]);
      memory[at_ + k * along] = now.value[k];
    }
    return now;
  }

  Mine mine_ = {};
  int at_ = 0;  ///< index of the first point in ψ and ζ
  Pair psi_{}, zeta_{}, curvature_{};
};

/// The threads that make terms, as soon as a plane of u is there.
template <class Tile>
__device__ void make_terms(const LayeredRingArgs<Tile>& args, typename Tile::Shared& shared,
                           Barriers<Tile>& barriers, const SharedTerms<Tile>& terms) {
  constexpr int R = Tile::R;
  const CpmlPass<float>& pass = args.layers.pass;
  const int thread = threadIdx.x - Tile::consumers - 32;
  const bool leads_warp = thread % 32 == 0;
  RingCursor<Tile::stages_u> u;
  RingCursor<RingLayers<Tile>::stages> made;
  PairOfTerms<Tile> mine;
  const TileWalk& walk = args.ring.walk;
  for (int tile = blockIdx.x; tile < walk.count(); tile += gridDim.x) {
    const Box3 box = walk.points(tile);
    mine.enter(terms, box, thread);
    mine.load(pass);
    for (int z = box.begin.z - R; z < box.end.z + R; ++z) {
      const bool makes_terms = mine.has_layer() && z >= box.begin.z && z < box.end.z;
      barriers.full_u[u.stage].wait(u.parity);
      if (makes_terms) mine.renew_psi(terms, thread, shared.u[u.stage], terms.psi(made.stage));
      __syncwarp();
      if (leads_warp) barriers.empty_u[u.stage].arrive();
      u.advance();
      if (makes_terms) {
        HopperBlock::sync_group<1, threads_of_terms<Tile>>();
        terms.beside.empty[made.stage].wait(made.parity ^ 1);
        mine.make(terms, thread, terms.psi(made.stage), terms.plane(made.stage));
        __syncwarp();
        if (leads_warp) terms.beside.full[made.stage].arrive();
        made.advance();
        if (z + 1 < box.end.z) mine.go_on(pass, z + 2 == box.end.z);
      }
    }
  }
}

template <class Update, class Tile>
__global__ void __launch_bounds__(threads_with_terms<Tile>, 1)
    tma_ring_with_layers(const __grid_constant__ LayeredRingArgs<Tile> args) {
  static_assert(Tile::height == 32 && Tile::beside == 1, "a lane has a row");
  extern __shared__ __align__(128) unsigned char memory[];
  auto& shared = *reinterpret_cast<typename Tile::Shared*>(memory);
  __shared__ Barriers<Tile> barriers;
  __shared__ typename SharedTerms<Tile>::Beside beside;
  const SharedTerms<Tile> terms{
      args.layers,
      reinterpret_cast<typename SharedTerms<Tile>::Pair*>(memory + sizeof(typename Tile::Shared)), beside};
  if (threadIdx.x == 0) {
    beside.init();
    barriers.init(RingLayers<Tile>::warps);
  }
  __syncthreads();
  if (threadIdx.x >= Tile::consumers) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x >= Tile::consumers + 32) {
      make_terms<Tile>(args, shared, barriers, terms);
    } else if (threadIdx.x == Tile::consumers) {
      produce<Tile>(args.ring, shared, barriers);
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 216;");
    consume<Update, Tile>(args.ring, shared, barriers, TermsToAdd<Tile>(terms));
  }
}

}  // namespace minimod
