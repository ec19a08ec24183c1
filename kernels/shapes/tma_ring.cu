#include <algorithm>
#include <type_traits>

#include "kernels/damping_of_points.hpp"
#include "kernels/device/hopper_block.cuh"
#include "kernels/device/launch_facts.cuh"
#include "kernels/device/vector_queue.hpp"
#include "kernels/marching_axis.hpp"
#include "kernels/shapes/streaming.hpp"
#include "kernels/shapes/tma_ring.hpp"
#include "kernels/tiles/tile_walk.hpp"
#include "kernels/whole/throttle.hpp"

namespace minimod {

namespace {

constexpr int R = stencil_radius;

/// On an H200 86 blocks reach the rate of all 132 in the inner update; a piece costs eight planes of u, which
/// is a quarter of the traffic, and about as long again until its pipeline is full.
WalkTuning tuning(int multiprocessors, bool damps) {
  return {multiprocessors, damps ? multiprocessors : multiprocessors * 2 / 3, 4};
}

/// All that the kernel gets.
struct RingArgs {
  WaveArgs<float> args;
  TileWalk walk;
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

  __device__ void init() {
    for (SharedBarrier& barrier : full_u) barrier.init(1);
    for (SharedBarrier& barrier : full_fields) barrier.init(1);
    for (SharedBarrier& barrier : empty_u) barrier.init(Tile::consumers / 32);
    for (SharedBarrier& barrier : empty_fields) barrier.init(Tile::consumers / 32);
    SharedBarrier::publish();
  }
};

/// Planes of u that a tile needs: those of the longest piece, so that all blocks of a round count alike.
__host__ __device__ int planes_of_round(const TileWalk& walk) {
  return walk.tile.z + 2 * R;
}

/// One thread: starts every copy of the block's tiles, as early as a stage is free and the throttle lets it.
/// Plane k of a tile is its plane k - R of u, and the fields are those of the plane R before. (Maps of u
/// begin with its halo: their plane k is this one.)
template <class Tile>
__device__ void produce(const RingArgs& args, typename Tile::Shared& shared, Barriers<Tile>& barriers) {
  RingCursor<Tile::stages_u> u;
  RingCursor<Tile::stages_fields> fields;
  Throttle<HopperBlock> throttle(args.counters);
  for (int tile = blockIdx.x, round = 0; tile < args.walk.count(); tile += gridDim.x, ++round) {
    const Box3 points = args.walk.points(tile);
    const Index3 first = args.walk.first;
    const Index3 from{points.begin.x - first.x, points.begin.y - first.y, points.begin.z - first.z};
    const int planes = points.extent().z + 2 * R;
    for (int k = 0; k < planes_of_round(args.walk); ++k) {
      throttle.pass(round * planes_of_round(args.walk), k, args.walk.blocks_in_round(round));
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

/// (V Δt)² of four points, from what stands for it in memory.
__device__ Vector4<float> decoded(const VelocityCode&, const Vector4<float>& v2dt2) {
  return v2dt2;
}
__device__ Vector4<float> decoded(const VelocityCode& code, const Vector4<std::uint16_t>& codes) {
  Vector4<float> v2dt2;
#pragma unroll
  for (int i = 0; i < 4; ++i) v2dt2.value[i] = code.decode(codes.value[i]);
  return v2dt2;
}

/// Fields that four points need beside u.
template <class Tile>
struct FieldsOfPoints {
  Vector4<float> field[Tile::fields - 1];  ///< u⁻ and, in the PML, φ
  Vector4<float> v2dt2;

  __device__ FieldsOfPoints(const VelocityCode& code, const typename Tile::PlaneOfFields& plane, int y,
                            int tx) {
#pragma unroll
    for (int f = 0; f < Tile::fields - 1; ++f) field[f] = plane.field[f][y][tx];
    v2dt2 = decoded(code, plane.v2dt2[y][tx]);
  }
};

/// The points of a thread in its tile, and where its results go.
template <class Update, class Tile>
struct Points {
  Index3 p;
  unsigned lanes;
  int rows;  ///< in the box, from the first on
  float *u_next, *phi;

  __device__ Points(const WaveArgs<float>& args, const Box3& points, int tx, int ty)
      : p{points.begin.x + 4 * tx, points.begin.y + Tile::rows * ty, points.begin.z},
        lanes(lanes_in_box(args.box, p.x)),
        rows(lanes != 0 ? args.box.end.y - p.y : 0),
        u_next(args.u_next + args.layout.index(p.x, p.y, p.z)),
        phi(Update::damps ? args.phi + args.phi_layout.index(p.x, p.y, p.z) : nullptr) {}

  __device__ void store(const WaveArgs<float>& args, int r, const FieldsOfPoints<Tile>& given,
                        const typename VectorQueue<Update, Tile::rows>::Complete& now,
                        const DampingOfPoints<Update, 4, Tile::rows>& damping) {
    Vector4<float> u, phi_next;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (Update::damps) {
        PointFields<float> f{given.field[0].value[i], given.v2dt2.value[i], given.field[1].value[i]};
        const float decay = Update::decay(now.decay.value[i], now.dz.value[i], damping.gradient(i, r).z);
        Update::advance(f, now.u.value[i], now.laplacian.value[i], decay, damping.damping[r][i]);
        u.value[i] = f.u_next;
        phi_next.value[i] = f.phi;
      } else {
        u.value[i] = Update::next({now.u.value[i], now.laplacian.value[i]}, given.v2dt2.value[i],
                                  given.field[0].value[i]);
      }
    }
    if (r >= rows) return;
    store_lanes(u_next + r * args.layout.stride_y, u, lanes);
    if constexpr (Update::damps) store_lanes(phi + r * args.phi_layout.stride_y, phi_next, lanes);
  }

  __device__ void next_plane(const WaveArgs<float>& args) {
    ++p.z;
    u_next += args.layout.stride_z;
    if constexpr (Update::damps) phi += args.phi_layout.stride_z;
  }
};

/// All other threads: rows of four points each, plane after plane.
template <class Update, class Tile>
__device__ void consume(const RingArgs& ring, typename Tile::Shared& shared, Barriers<Tile>& barriers) {
  constexpr int pitch = Tile::threads_x + 2, rows = Tile::rows;
  const WaveArgs<float>& args = ring.args;
  const int tx = threadIdx.x % Tile::threads_x, ty = threadIdx.x / Tile::threads_x;
  const bool leads_warp = threadIdx.x % 32 == 0;
  RingCursor<Tile::stages_u> u;
  RingCursor<Tile::stages_fields> fields;
  VectorQueue<Update, rows> queue;
  for (int tile = blockIdx.x; tile < ring.walk.count(); tile += gridDim.x) {
    const Box3 box = ring.walk.points(tile);
    Points<Update, Tile> points(args, box, tx, ty);
    DampingOfPoints<Update, 4, rows> damping(args, points.p);
    march<R>(0, box.extent().z + 2 * R, [&](int k, int phase) {
      const bool completes = k >= 2 * R;
      barriers.full_u[u.stage].wait(u.parity);
      if (completes) {
        damping.set_plane(args, points.p.z);
        barriers.full_fields[fields.stage].wait(fields.parity);
      }
      const auto finish = [&](int r, const auto& complete) {
        if (!completes) return;
        const FieldsOfPoints<Tile> given(args.v2dt2_code, shared.fields[fields.stage], rows * ty + r, tx);
        points.store(args, r, given, complete, damping);
      };
      const auto finished = [&] {
        if (!completes) return;
        __syncwarp();
        if (leads_warp) barriers.empty_fields[fields.stage].arrive();
        fields.advance();
        points.next_plane(args);
      };
      queue.push(args.weights, {&shared.u[u.stage].value[rows * ty + R][tx + 1], pitch}, phase, damping,
                 finish, finished);
      __syncwarp();
      if (leads_warp) barriers.empty_u[u.stage].arrive();
      u.advance();
    });
  }
}

template <class Update, class Tile>
__global__ void __launch_bounds__(Tile::threads, 1) tma_ring(const __grid_constant__ RingArgs args) {
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

/// The array that stands for (V Δt)² in memory.
template <class Tile>
const typename Tile::Velocity* velocity_of(const WaveArgs<float>& args) {
  if constexpr (std::is_same_v<typename Tile::Velocity, std::uint16_t>) {
    return args.v2dt2_codes;
  } else {
    return args.v2dt2;
  }
}

/// Arguments of the inner box, or of a slab of the PML.
template <class Update>
WaveArgs<float> as_marched(const LaunchArgs& given, const WaveConstants<float>& constants) {
  const WaveArgs<float> args(given, constants);
  if constexpr (Update::damps) return marching_along_the_slab(args);
  return args;
}

template <class Update, class Tile>
class RingLaunch final : public PlannedLaunch {
 public:
  RingLaunch(const LaunchArgs& given, const char* shape) : constants_(given) {
    const WaveArgs<float> args = as_marched<Update>(given, constants_);
    const int all = multiprocessors();
    walk_ = plan_walk(args.box, args.layout, {Tile::width, Tile::height, 0},
                      tuning(given.most_blocks > 0 ? std::min(given.most_blocks, all) : all, Update::damps));
    facts_ =
        prepare({reinterpret_cast<const void*>(kernel), {walk_.blocks, 1, 1}, Tile::threads, bytes}, shape);
  }

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return Throttle<HopperBlock>::bytes(walk_.rounds() * planes_of_round(walk_));
  }
  void run(const LaunchArgs& given, Stream stream) override {
    const WaveArgs<float> args = as_marched<Update>(given, constants_);
    const auto map = [&](const auto* field, const Layout& at, MapHalo halo) {
      return maps_.of(field, at, args.box, walk_.first, halo);
    };
    const TileMap before = map(args.u_before, args.layout, MapHalo::none);
    const RingArgs ring{args,
                        walk_,
                        map(args.u, args.layout, MapHalo::around),
                        map(args.u, args.layout, MapHalo::along_z),
                        map(velocity_of<Tile>(args), args.layout, MapHalo::none),
                        {before, Update::damps ? map(args.phi, args.phi_layout, MapHalo::none) : before},
                        static_cast<unsigned*>(given.workspace)};
    kernel<<<walk_.blocks, Tile::threads, bytes, stream.as<cudaStream_t>()>>>(ring);
    check_launch();
  }

 private:
  static constexpr auto kernel = tma_ring<Update, Tile>;
  static constexpr std::size_t bytes = sizeof(typename Tile::Shared);
  static constexpr Fetch fetch = Update::damps ? Fetch::lines : Fetch::sectors;  // as measured, 2 to 5 %
  WaveConstants<float> constants_;
  TileWalk walk_;
  LaunchFacts facts_;
  TileMaps<TileMap> maps_{Tile::width, Tile::height, fetch};
};

template <class Shape>
LaunchPlanners planners_of_one() {
  LaunchPlanners planners;
  planners.inner = [](const LaunchArgs& args) -> std::unique_ptr<PlannedLaunch> {
    return std::make_unique<RingLaunch<InnerUpdate<float>, typename Shape::Tile>>(args, Shape::family);
  };
  planners.pml = [](const LaunchArgs& args) -> std::unique_ptr<PlannedLaunch> {
    return std::make_unique<RingLaunch<PmlUpdate<float>, PmlTile>>(args, Shape::family);
  };
  return planners;
}

template <class... Shapes>
std::array<LaunchPlanners, sizeof...(Shapes)> planners_of(TypeList<Shapes...>) {
  return {planners_of_one<Shapes>()...};
}

}  // namespace

std::array<LaunchPlanners, TmaRingList::size> tma_ring_planners() {
  return planners_of(TmaRingList{});
}

}  // namespace minimod
