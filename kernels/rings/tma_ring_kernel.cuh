/// The kernel of `tma_ring` (tma_ring.hpp), for the compilers of the build and of a running program.
#pragma once

#include <type_traits>

#include "kernels/damping_of_points.hpp"
#include "kernels/device/hopper_block.cuh"
#include "kernels/device/vector_queue.hpp"
#include "kernels/rings/ring_tile.hpp"
#include "kernels/shapes/streaming.hpp"
#include "kernels/tiles/tile_walk.hpp"
#include "kernels/whole/throttle.hpp"

namespace minimod {

/// All that the kernel gets.
template <class Real, int R>
struct RingArgs {
  WaveArgs<Real, R> args;
  TileWalk walk;
  Index3 origin;       ///< the point that maps without a halo begin at
  TileMap u;           ///< from the halo on
  TileMap ahead;       ///< map of u without its halo along x and y, for what comes next
  TileMap v2dt2;       ///< map of v2dt2, or of its codes
  TileMap field[2];    ///< u⁻ and, in the PML, φ
  unsigned* counters;  ///< counters of the throttle
};

template <class Tile>
struct Barriers {
  SharedBarrier full_u[Tile::stages_u], empty_u[Tile::stages_u];
  SharedBarrier full_fields[Tile::stages_fields], empty_fields[Tile::stages_fields];

  /// `readers`: warps that read u beside the consumers.
  __device__ void init(int readers = 0) {
    for (SharedBarrier& barrier : full_u) barrier.init(1);
    for (SharedBarrier& barrier : full_fields) barrier.init(1);
    for (SharedBarrier& barrier : empty_u) barrier.init(Tile::consumers / 32 + readers);
    for (SharedBarrier& barrier : empty_fields) barrier.init(Tile::consumers / 32);
    SharedBarrier::publish();
  }
};

/// Planes of u that a tile needs: those of the longest piece, so that all blocks of a round count alike.
template <int R>
MINIMOD_HD int planes_of_round(const TileWalk& walk) {
  return walk.tile.z + 2 * R;
}

/// One thread: starts every copy of the block's tiles, as early as a stage is free and the throttle lets it.
/// Plane k of a tile is its plane k - R of u, and the fields are those of the plane R before. (Maps of u
/// begin with its halo: their plane k is this one.)
template <class Tile>
__device__ void produce(const RingArgs<typename Tile::Real, Tile::R>& args, typename Tile::Shared& shared,
                        Barriers<Tile>& barriers) {
  constexpr int R = Tile::R;
  RingCursor<Tile::stages_u> u;
  RingCursor<Tile::stages_fields> fields;
  Throttle<HopperBlock> throttle(args.counters);
  for (int tile = blockIdx.x, round = 0; tile < args.walk.count(); tile += gridDim.x, ++round) {
    const Box3 points = args.walk.points(tile);
    const Index3 origin = args.origin;
    const Index3 from{points.begin.x - origin.x, points.begin.y - origin.y, points.begin.z - origin.z};
    const int planes = points.extent().z + 2 * R;
    for (int k = 0; k < planes_of_round<R>(args.walk); ++k) {
      throttle.pass(round * planes_of_round<R>(args.walk), k, args.walk.blocks_in_round(round));
      if (k >= planes) continue;
      if (k + 1 < planes) args.ahead.prefetch({from.x, from.y, from.z + k + 1});
      barriers.empty_u[u.stage].wait(u.parity ^ 1);
      barriers.full_u[u.stage].arrive_expecting(sizeof shared.u[0].value);
      args.u.load(&shared.u[u.stage], {from.x, from.y, from.z + k}, barriers.full_u[u.stage]);
      u.advance();
      if (k < 2 * R) continue;
      SharedBarrier& full = barriers.full_fields[fields.stage];
      barriers.empty_fields[fields.stage].wait(fields.parity ^ 1);
      auto& stage = shared.fields[fields.stage];
      const Index3 at{from.x, from.y, from.z + k - 2 * R};
      full.arrive_expecting(sizeof stage);
#pragma unroll
      for (int f = 0; f < Tile::fields - 1; ++f) args.field[f].load(stage.field[f], at, full);
      args.v2dt2.load(stage.v2dt2, at, full);
      fields.advance();
    }
  }
}

/// (V Δt)² of a vector of points, from what stands for it in memory.
template <class Real, int V>
__device__ Vector<Real, V> decoded(const VelocityCode&, const Vector<Real, V>& v2dt2) {
  return v2dt2;
}
__device__ inline Vector4<float> decoded(const VelocityCode& code, const Vector4<std::uint16_t>& codes) {
  Vector4<float> v2dt2;
#pragma unroll
  for (int i = 0; i < 4; ++i) v2dt2.value[i] = code.decode(codes.value[i]);
  return v2dt2;
}

/// Fields that a vector of points needs beside u.
template <class Tile>
struct FieldsOfPoints {
  using Values = Vector<typename Tile::Real, Tile::V>;
  Values field[Tile::fields - 1];  ///< u⁻ and, in the PML, φ
  Values v2dt2;

  __device__ FieldsOfPoints(const VelocityCode& code, const typename Tile::PlaneOfFields& plane, int y,
                            int tx) {
#pragma unroll
    for (int f = 0; f < Tile::fields - 1; ++f) field[f] = plane.field[f][y][tx];
    v2dt2 = decoded(code, plane.v2dt2[y][tx]);
  }
};

/// The terms that a consumer adds to u⁺ in a launch without layers: none (TermsToAdd has others).
struct NothingToAdd {
  __device__ void enter(const Box3& /*tile*/, int /*tx*/, int /*ty*/) {}
  __device__ void wait() {}
  template <class Vector>
  __device__ void add(int /*row*/, Vector& /*u_next*/, const Vector& /*v2dt2*/) const {}
  __device__ void release(bool /*leads_warp*/) {}
};

/// The points of a thread in its tile, and where its results go.
template <class Update, class Tile, class Layers>
struct Points {
  using Real = typename Tile::Real;
  using Args = typename Update::Args;
  static constexpr int V = Tile::V;
  Index3 p;
  unsigned lanes;
  int rows;  ///< in the box, from the first on
  Real *u_next, *phi;

  __device__ Points(const Args& args, const Box3& points, int tx, int ty)
      : p{points.begin.x + V * tx, points.begin.y + Tile::rows * ty, points.begin.z},
        lanes(lanes_in_box<V>(args.box, p.x)),
        rows(lanes != 0 ? args.box.end.y - p.y : 0),
        u_next(args.u_next + args.layout.index(p.x, p.y, p.z)),
        phi(Update::damps ? args.phi + args.phi_layout.index(p.x, p.y, p.z) : nullptr) {}

  __device__ void store(const Args& args, int r, const FieldsOfPoints<Tile>& given,
                        const typename VectorQueue<Update, Tile::rows>::Complete& now,
                        const DampingOfPoints<Update, V, Tile::rows>& damping, const Layers& layers) {
    Vector<Real, V> u, phi_next;
#pragma unroll
    for (int i = 0; i < V; ++i) {
      if constexpr (Update::damps) {
        PointFields<Real> f{given.field[0].value[i], given.v2dt2.value[i], given.field[1].value[i]};
        const float decay = Update::decay(now.decay.value[i], now.dz.value[i], damping.gradient(i, r).z);
        Update::advance(f, now.u.value[i], now.laplacian.value[i], decay, damping.damping[r][i]);
        u.value[i] = f.u_next;
        phi_next.value[i] = f.phi;
      } else {
        u.value[i] = Update::next({now.u.value[i], now.laplacian.value[i]}, given.v2dt2.value[i],
                                  given.field[0].value[i]);
      }
    }
    layers.add(r, u, given.v2dt2);
    if (r >= rows) return;
    store_lanes(u_next + r * args.layout.stride_y, u, lanes);
    if constexpr (Update::damps) store_lanes(phi + r * args.phi_layout.stride_y, phi_next, lanes);
  }

  __device__ void next_plane(const Args& args) {
    ++p.z;
    u_next += args.layout.stride_z;
    if constexpr (Update::damps) phi += args.phi_layout.stride_z;
  }
};

/// All other threads: rows of a vector of points each, plane after plane.
template <class Update, class Tile, class Layers = NothingToAdd>
__device__ void consume(const RingArgs<typename Tile::Real, Tile::R>& ring, typename Tile::Shared& shared,
                        Barriers<Tile>& barriers, Layers layers = {}) {
  constexpr int R = Tile::R, beside = Tile::beside, pitch = Tile::threads_x + 2 * beside, rows = Tile::rows;
  const typename Update::Args& args = ring.args;
  const int tx = threadIdx.x % Tile::threads_x, ty = threadIdx.x / Tile::threads_x;
  const bool leads_warp = threadIdx.x % 32 == 0;
  RingCursor<Tile::stages_u> u;
  RingCursor<Tile::stages_fields> fields;
  VectorQueue<Update, rows> queue;
  for (int tile = blockIdx.x; tile < ring.walk.count(); tile += gridDim.x) {
    const Box3 box = ring.walk.points(tile);
    Points<Update, Tile, Layers> points(args, box, tx, ty);
    layers.enter(box, tx, ty);
    DampingOfPoints<Update, Tile::V, rows> damping(args, points.p);
    march<R>(0, box.extent().z + 2 * R, [&](int k, int phase) {
      const bool completes = k >= 2 * R;
      barriers.full_u[u.stage].wait(u.parity);
      if (completes) {
        damping.set_plane(args, points.p.z);
        barriers.full_fields[fields.stage].wait(fields.parity);
        layers.wait();
      }
      const auto finish = [&](int r, const auto& complete) {
        if (!completes) return;
        const FieldsOfPoints<Tile> given(args.v2dt2_code, shared.fields[fields.stage], rows * ty + r, tx);
        points.store(args, r, given, complete, damping, layers);
      };
      const auto finished = [&] {
        if (!completes) return;
        __syncwarp();
        if (leads_warp) barriers.empty_fields[fields.stage].arrive();
        layers.release(leads_warp);
        fields.advance();
        points.next_plane(args);
      };
      queue.push(args.weights, {&shared.u[u.stage].value[rows * ty + R][tx + beside], pitch}, phase, damping,
                 finish, finished);
      __syncwarp();
      if (leads_warp) barriers.empty_u[u.stage].arrive();
      u.advance();
    });
  }
}

template <class Update, class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    tma_ring(const __grid_constant__ RingArgs<typename Tile::Real, Tile::R> args) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto& shared = *reinterpret_cast<typename Tile::Shared*>(memory);
  __shared__ Barriers<Tile> barriers;
  if (threadIdx.x == 0) barriers.init();
  __syncthreads();
  // The compiler counts on equal shares of 168 registers; those who load need few.
  if (threadIdx.x >= Tile::consumers) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == Tile::consumers) produce<Tile>(args, shared, barriers);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    consume<Update, Tile>(args, shared, barriers);
  }
}

}  // namespace minimod
