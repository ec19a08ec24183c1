/// The kernel of `tma_ring` of any equation, for the compiler of a running program: as that of the wave
/// (tma_ring_kernel.cuh), but points read all that they read from rings and columns, as other families have
/// them, and sum it as the equation says.
#pragma once

#include "kernels/device/hopper_block.cuh"
#include "kernels/rings/equation_tile.hpp"
#include "kernels/tiles/tile_walk.hpp"
#include "kernels/whole/throttle.hpp"

namespace minimod {

/// All that the kernel gets.
template <class Equation>
struct EquationRingArgs {
  typename Equation::Args args;
  TileWalk walk;
  TileMap map[ArraysInRings<Equation>::count];  ///< from the halo on, in the order of the list
  unsigned* counters;                           ///< counters of the throttle
};

/// Barriers of the steps: all arrays of a step arrive at one.
template <class Tile>
struct StepBarriers {
  SharedBarrier full[Tile::stages], empty[Tile::stages];

  __device__ void init() {
    for (SharedBarrier& barrier : full) barrier.init(1);
    for (SharedBarrier& barrier : empty) barrier.init(Tile::consumers / 32);
    SharedBarrier::publish();
  }
};

/// One thread: starts the copies of a step as soon as its planes are free and the throttle lets it. Step k of
/// a tile brings of each array the plane that the point of plane k - more_planes reads farthest behind it.
template <class Tile>
__device__ void produce(const EquationRingArgs<typename Tile::Equation>& args, typename Tile::Shared& shared,
                        StepBarriers<Tile>& barriers) {
  RingCursor<Tile::stages> step;
  typename Tile::Slots slots;
  Throttle<HopperBlock> throttle(args.counters);
  const int most_planes = args.walk.tile.z + Tile::more_planes;
  for (int tile = blockIdx.x, round = 0; tile < args.walk.count(); tile += gridDim.x, ++round) {
    const Box3 points = args.walk.points(tile);
    const Index3 first = args.walk.first;
    const Index3 from{points.begin.x - first.x, points.begin.y - first.y, points.begin.z - first.z};
    const int planes = points.extent().z + Tile::more_planes;
    for (int k = 0; k < most_planes; ++k) {
      throttle.pass(round * most_planes, k, args.walk.blocks_in_round(round));
      if (k >= planes) continue;
      barriers.empty[step.stage].wait(step.parity ^ 1);
      SharedBarrier& full = barriers.full[step.stage];
      int bytes = 0;
      for_each(typename Tile::Arrays{}, [&]<int Array>() {
        using Ring = typename Tile::template Ring<Array>;
        if (k >= Ring::begins) bytes += Ring::extents.copied();
      });
      full.arrive_expecting(bytes);
      for_each(typename Tile::Arrays{}, [&]<int Array>() {
        if (!slots.template advance<Array>(k)) return;
        constexpr int number = Tile::Arrays::index(Array), begins = Tile::template Ring<Array>::begins;
        args.map[number].load(&shared.template ring<Array>().plane[slots.template of<Array>()],
                              {from.x, from.y, from.z + k - begins}, full);
      });
      step.advance();
    }
  }
}

/// All other threads: rows of vectors of points, plane after plane.
template <class Tile>
__device__ void consume(const EquationRingArgs<typename Tile::Equation>& ring, typename Tile::Shared& shared,
                        StepBarriers<Tile>& barriers) {
  using Equation = typename Tile::Equation;
  const auto& args = ring.args;
  const int column = threadIdx.x % Tile::threads_x * Tile::lanes;
  const int row = threadIdx.x / Tile::threads_x * Tile::rows;
  const bool leads_warp = threadIdx.x % 32 == 0;
  RingCursor<Tile::stages> step;
  typename Tile::Slots slots;
  typename Tile::Columns columns[Tile::rows];
  for (int tile = blockIdx.x; tile < ring.walk.count(); tile += gridDim.x) {
    const Box3 box = ring.walk.points(tile);
    const Index3 p{box.begin.x + column, box.begin.y + row, box.begin.z};
    const unsigned lanes = lanes_in_box<Tile::lanes>(args.box, p.x);
    const int rows = lanes != 0 ? args.box.end.y - p.y : 0;
    const int planes = box.extent().z + Tile::more_planes;
    typename Tile::EtaOfRow eta[Tile::rows];
    if constexpr (Equation::damps) {
#pragma unroll
      for (int r = 0; r < Tile::rows; ++r) eta[r] = {args, {p.x, p.y + r, p.z}};
    }
    for (int k = 0; k < planes; ++k) {
      barriers.full[step.stage].wait(step.parity);
      for_each(typename Tile::Arrays{}, [&]<int Array>() { slots.template advance<Array>(k); });
#pragma unroll
      for (int r = 0; r < Tile::rows; ++r) Tile::push(columns[r], shared, slots, column, row + r);
      const int z = p.z + k - Tile::more_planes;
      if (k >= Tile::more_planes) {
#pragma unroll
        for (int r = 0; r < Tile::rows; ++r) {
          if (r >= rows) continue;
          Results<Equation, Tile::lanes> results;
          for_lanes<Tile::lanes>([&]<int Lane>() {
            using Point = typename Tile::template Point<Lane>;
            Equation::compute(Point{
                args, eta[r], shared, slots, columns[r], {p.x + Lane, p.y + r, z}, column, row + r, results});
          });
          for_each(typename Equation::Outputs{}, [&]<int Array>() {
            store_lanes(Equation::template data<Array>(args) +
                            Equation::template layout<Array>(args).index(p.x, p.y + r, z),
                        results.template of<Array>(), lanes);
          });
        }
      }
      __syncwarp();
      if (leads_warp) barriers.empty[step.stage].arrive();
      step.advance();
    }
  }
}

template <class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    equation_ring(const __grid_constant__ EquationRingArgs<typename Tile::Equation> args) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto& shared = *reinterpret_cast<typename Tile::Shared*>(memory);
  __shared__ StepBarriers<Tile> barriers;
  if (threadIdx.x == 0) barriers.init();
  __syncthreads();
  // The compiler counts on equal shares of the registers; those who load need few.
  if (threadIdx.x >= Tile::consumers) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Tile::few));
    if (threadIdx.x == Tile::consumers) produce<Tile>(args, shared, barriers);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Tile::many));
    consume<Tile>(args, shared, barriers);
  }
}

}  // namespace minimod
