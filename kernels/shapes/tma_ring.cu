#include <algorithm>

#include "kernels/device_launch.cuh"
#include "kernels/shapes/streaming.hpp"
#include "kernels/shapes/tma_ring.hpp"
#include "kernels/throttle.cuh"
#include "kernels/tma.cuh"
#include "kernels/vector_queue.hpp"

namespace minimod {

namespace {

constexpr int R = stencil_radius;

/// On an H200 86 blocks reach the rate of all 132; a piece costs eight planes of u, which is a quarter of the
/// traffic, and about as long again until its pipeline is full.
WalkTuning tuning(int multiprocessors) {
  return {multiprocessors, multiprocessors * 2 / 3, 4};
}

/// All that the kernel gets.
struct RingArgs {
  TileMap u, u_before, v2dt2;
  TileMap ahead;  ///< of u without its halo, for what comes next
  TileWalk walk;
  Layout layout;
  float* u_next;
  unsigned* counters;
  StencilWeights<float> weights;
};

template <class Shape>
struct Barriers {
  SharedBarrier full_u[Shape::stages_u], empty_u[Shape::stages_u];
  SharedBarrier full_fields[Shape::stages_fields], empty_fields[Shape::stages_fields];

  __device__ void init() {
    for (SharedBarrier& barrier : full_u) barrier.init(1);
    for (SharedBarrier& barrier : full_fields) barrier.init(1);
    for (SharedBarrier& barrier : empty_u) barrier.init(Shape::consumers / 32);
    for (SharedBarrier& barrier : empty_fields) barrier.init(Shape::consumers / 32);
    publish_barriers();
  }
};

/// Planes of u that a tile needs: those of the longest piece, so that all blocks of a round count alike.
__host__ __device__ int planes_of_round(const TileWalk& walk) {
  return walk.tile.z + 2 * R;
}

/// One thread: starts every copy of the block's tiles, as early as a stage is free and the throttle lets it.
/// Plane k of a tile is its plane k - R of u, and the fields are those of the plane R before. (Maps of u
/// begin with its halo: their plane k is this one.)
template <class Shape>
__device__ void produce(const RingArgs& args, typename Shape::Shared& shared, Barriers<Shape>& barriers) {
  RingCursor<Shape::stages_u> u;
  RingCursor<Shape::stages_fields> fields;
  Throttle throttle(args.counters, args.walk, planes_of_round(args.walk));
  for (int tile = blockIdx.x, round = 0; tile < args.walk.count(); tile += gridDim.x, ++round) {
    const Box3 points = args.walk.points(tile);
    const Index3 first = args.walk.first;
    const Index3 from{points.begin.x - first.x, points.begin.y - first.y, points.begin.z - first.z};
    const int planes = points.extent().z + 2 * R;
    for (int k = 0; k < planes_of_round(args.walk); ++k) {
      throttle.pass(round, k);
      if (k >= planes) continue;
      if (k + 1 < planes) args.ahead.prefetch({from.x, from.y, from.z + k + 1});
      barriers.empty_u[u.stage].wait(u.parity ^ 1);
      barriers.full_u[u.stage].arrive_expecting(sizeof shared.u[0].value);
      args.u.load(&shared.u[u.stage], {from.x, from.y, from.z + k}, barriers.full_u[u.stage]);
      u.advance();
      if (k < 2 * R) continue;
      SharedBarrier& full = barriers.full_fields[fields.stage];
      const Index3 at{from.x, from.y, from.z + k - 2 * R};
      barriers.empty_fields[fields.stage].wait(fields.parity ^ 1);
      full.arrive_expecting(sizeof shared.fields[0]);
      args.u_before.load(shared.fields[fields.stage].u_before, at, full);
      args.v2dt2.load(shared.fields[fields.stage].v2dt2, at, full);
      fields.advance();
    }
  }
}

/// All other threads: four rows of four points each, plane after plane.
template <class Shape>
__device__ void consume(const RingArgs& args, typename Shape::Shared& shared, Barriers<Shape>& barriers) {
  constexpr int pitch = Shape::threads_x + 2;
  const int tx = threadIdx.x % Shape::threads_x, ty = threadIdx.x / Shape::threads_x;
  const bool leads_warp = threadIdx.x % 32 == 0;
  RingCursor<Shape::stages_u> u;
  RingCursor<Shape::stages_fields> fields;
  VectorQueue<float, R, Shape::rows> queue;
  for (int tile = blockIdx.x; tile < args.walk.count(); tile += gridDim.x) {
    const Box3 points = args.walk.points(tile);
    const Index3 p{points.begin.x + 4 * tx, points.begin.y + Shape::rows * ty, points.begin.z};
    const unsigned lanes = lanes_in_box(args.walk.box, p.x);
    const int rows = lanes != 0 ? args.walk.box.end.y - p.y : 0;
    float* u_next = args.u_next + args.layout.index(p.x, p.y, p.z);
    march<R>(0, points.extent().z + 2 * R, [&](int k, int phase) {
      const bool completes = k >= 2 * R;
      barriers.full_u[u.stage].wait(u.parity);
      if (completes) barriers.full_fields[fields.stage].wait(fields.parity);
      const auto& field = shared.fields[fields.stage];
      const auto finish = [&](int r, const Vector4<float>& centre, const Vector4<float>& laplacian) {
        if (!completes) return;
        const Vector4<float> before = field.u_before[Shape::rows * ty + r][tx];
        const Vector4<float> v2dt2 = field.v2dt2[Shape::rows * ty + r][tx];
        Vector4<float> next;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          next.value[i] = InnerUpdate<float>::next({centre.value[i], laplacian.value[i]}, v2dt2.value[i],
                                                   before.value[i]);
        }
        if (r < rows) store_lanes(u_next + r * args.layout.stride_y, next, lanes);
      };
      const auto finished = [&] {
        if (!completes) return;
        __syncwarp();
        if (leads_warp) barriers.empty_fields[fields.stage].arrive();
        fields.advance();
        u_next += args.layout.stride_z;
      };
      const auto& plane = shared.u[u.stage];
      queue.push(args.weights, {&plane.value[Shape::rows * ty + R][tx + 1], pitch}, phase, finish, finished);
      __syncwarp();
      if (leads_warp) barriers.empty_u[u.stage].arrive();
      u.advance();
    });
  }
}

template <class Shape>
__global__ void __launch_bounds__(Shape::threads.x, 1) tma_ring(const __grid_constant__ RingArgs args) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto& shared = *reinterpret_cast<typename Shape::Shared*>(memory);
  __shared__ Barriers<Shape> barriers;
  if (threadIdx.x == 0) barriers.init();
  __syncthreads();
  // The compiler counts on equal shares of 168 registers; those who load need few.
  if (threadIdx.x >= Shape::consumers) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == Shape::consumers) produce<Shape>(args, shared, barriers);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    consume<Shape>(args, shared, barriers);
  }
}

int multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

template <class Shape>
TileWalk walk_over(const Box3& box, const Layout& at, int most_blocks) {
  const int all = multiprocessors();
  return plan_walk(box, at, Shape::tile, tuning(most_blocks > 0 ? std::min(most_blocks, all) : all));
}

template <class Shape>
void launch(const StencilArgs<float>& args, void* stream) {
  if (args.box.empty()) return;
  const Layout& at = args.layout;
  const TileWalk walk = walk_over<Shape>(args.box, at, args.most_blocks);
  const Index3 first = walk.first;
  const Extent3 n{args.box.end.x - first.x, args.box.end.y - first.y, args.box.end.z - first.z};
  const std::int64_t index = at.index(first.x, first.y, first.z), z_halo = R * at.stride_z;
  const float* u = args.u + index - z_halo;
  const int width = Shape::tile.x, height = Shape::tile.y;
  const RingArgs ring{
      {u - R - R * at.stride_y, {n.x + 2 * R, n.y + 2 * R, n.z + 2 * R}, at, width + 2 * R, height + 2 * R},
      {args.u_before + index, n, at, width, height},
      {args.v2dt2 + index, n, at, width, height},
      {u, {n.x, n.y, n.z + 2 * R}, at, width, height},
      walk,
      at,
      args.u_next,
      static_cast<unsigned*>(args.workspace),
      args.weights};
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  constexpr std::size_t bytes = sizeof(typename Shape::Shared);
  allow_shared_bytes(tma_ring<Shape>, bytes);
  tma_ring<Shape><<<walk.blocks, Shape::threads.x, bytes, cuda_stream>>>(ring);
  check(cudaGetLastError());
}

template <class Shape>
LaunchFacts describe(const Box3& box) {
  const TileWalk walk = walk_over<Shape>(box, {}, 0);
  return describe_kernel(tma_ring<Shape>, {walk.blocks, 1, 1}, Shape::threads.x,
                         sizeof(typename Shape::Shared));
}

template <class Shape>
std::size_t workspace_bytes(const StencilArgs<float>& args) {
  const TileWalk walk = walk_over<Shape>(args.box, args.layout, args.most_blocks);
  return Throttle::bytes(walk, planes_of_round(walk));
}

template <class Shape>
Launches launches_of_one() {
  Launches launches;
  launches.inner = launch<Shape>;
  launches.describe_inner = describe<Shape>;
  launches.workspace_bytes = workspace_bytes<Shape>;
  return launches;
}

template <class... Shapes>
std::array<Launches, sizeof...(Shapes)> launches_of(TypeList<Shapes...>) {
  return {launches_of_one<Shapes>()...};
}

}  // namespace

std::array<Launches, TmaRingList::size> tma_ring_launches() {
  return launches_of(TmaRingList{});
}

}  // namespace minimod
