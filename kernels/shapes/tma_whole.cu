#include <limits>

#include "kernels/planes_near_slabs.hpp"
#include "kernels/shapes/tma_whole.hpp"
#include "kernels/two_steps_pipeline.cuh"

namespace minimod {

namespace {

using Shape = TmaWhole;
using Inner = InnerUpdate<float>;
using Pml = PmlUpdate<float>;
constexpr int R = stencil_radius, rows = Shape::rows, lanes = 4;
constexpr int planes_a_turn =
    4;  ///< a round has a multiple of them, so that stages of two go on across rounds

constexpr double planes_lost = 16;  ///< by a chunk: 2R that it completes none with, slower ones at its ends

/// All that the kernel gets.
struct WholeArgs {
  TwoStepsArgs both;
  unsigned stride_y, stride_z;  ///< of u and of φ, which lie alike
  PlanesNearSlabs near;
};

/// η along an axis and (η₊ − η₋) / (4h²).
struct Profile {
  float eta, gradient;
};

/// What a step's threads know of the round that they are in.
struct alignas(16) OfRound {
  /// Along x: η, the gradient, and where x alone damps 1 / (1 + 2η) and the loss of φ.
  float eta[Shape::width], gradient[Shape::width], inverse_2eta[Shape::width], minus_loss[Shape::width];
  Profile y_profile[Shape::height];
  int x, y;                                      ///< first point of the tile
  int done_begin, done_end, own_begin, own_end;  ///< planes of the step, and of those the chunk's own
};

struct Profiles {
  OfRound round[2];
  Profile z[Shape::most_damped_planes];
};

/// Forms of the loop over planes.
enum Form : int { inner_form = 0, x_form = 1, xy_form = 3, z_form = 7 };

/// The in-plane method: u of the last four planes of each row, and the sums that they began.
struct Queue {
  float past[rows][R][lanes], sum[rows][R][lanes];
};

__device__ float reciprocal(float value) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
  return result;
}
/// Through the L2; unchanged where not. Predicated, as a branch costs more. These three touch what no other
/// code of the thread does, and say nothing of memory, which would keep the loads of rows behind each other.
__device__ void load_if(bool wanted, float (&to)[lanes], const float* from) {
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.u32 p, %4, 0;\n"
      " @p ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%5];\n}"
      : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
      : "r"(unsigned{wanted}), "l"(from));
}
__device__ void store_if(bool wanted, float* to, const float (&from)[lanes]) {
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.u32 p, %0, 0;\n"
      " @p st.global.v4.f32 [%1], {%2, %3, %4, %5};\n}" ::"r"(unsigned{wanted}),
      "l"(to), "f"(from[0]), "f"(from[1]), "f"(from[2]), "f"(from[3]));
}
__device__ void add_in_l2(float* to, const float (&what)[lanes]) {
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(what[0]),
               "f"(what[1]), "f"(what[2]), "f"(what[3]));
}
__device__ void copy(float (&to)[lanes], const Vector4<float>& from) {
  *reinterpret_cast<Vector4<float>*>(to) = from;
}
__device__ Vector4<float>& as_vector(float (&values)[lanes]) {
  return *reinterpret_cast<Vector4<float>*>(values);
}
__device__ const Vector4<float>& vector_in(const float* table) {
  return *reinterpret_cast<const Vector4<float>*>(table);
}

/// Of a thread in a round and form.
struct Worker {
  unsigned index;  ///< of its first point in the plane that an arrival completes (mod 2³²)
  /// Bits of its rows: 0: stored; 4: the round's own; 8, 12: the same where x or y damp; 16: y damps.
  unsigned rows;
  int source;   ///< arrival that completes the source's plane
  int first_z;  ///< plane of arrival 0
  int in_tile,
      in_halo;      ///< vector of its first point in a tile, and of that four rows before in one with halo
  int row, lane;    ///< its first point's
  float* target;    ///< u⁺ or u⁺⁺
  int z_offset;     ///< from a plane to its place among the profiles along z
  bool meets_late;  ///< φ of a plane with the next one
  RingCursor<Shape::stages_v> v;
  RingCursor<Shape::stages_centre> centre;
};

/// Rows whose φ the plane meets, as Worker::rows has them but from 0 on.
template <Form F>
__device__ unsigned rows_of_phi(unsigned bits, const WholeArgs& args, const OfRound& round, int z) {
  const unsigned across = (bits >> 8 & 0xff) | (bits & 0xf0000);
  if (F != z_form) return across;
  const Box3& inner = args.both.args.inner;
  if (z < round.done_begin || z >= round.done_end) return 0;
  const unsigned met = z < inner.begin.z || z >= inner.end.z ? (bits & 0xff) | 0xf0000 : across;
  return z >= round.own_begin && z < round.own_end ? met : met & ~0xf0U;
}

/// Adds the source to the sum of the plane that is completed, by the thread that has its point. u⁺ is so
/// stored once: where rounds overlap, another block may be reading it.
__device__ void add_source(Queue& queue, const Worker& me, const StencilArgs<float>& args,
                           const OfRound& round, const Shape::Tile& v2dt2, float eta_z) {
  const int x = args.source.x - round.x, y = args.source.y - round.y;
  const float eta = round.eta[x] + (round.y_profile[y].eta + eta_z);
  const float v = v2dt2.value[y][x / lanes].value[x % lanes];
  const float added = *args.source_sample * fused(2.0F, eta, 1.0F) * reciprocal(v);
  const int place = (y - me.row) * lanes + x - me.lane;
#pragma unroll
  for (int r = 0; r < rows; ++r) {
#pragma unroll
    for (int l = 0; l < lanes; ++l) queue.sum[r][0][l] += place == r * lanes + l ? added : 0;
  }
}

/// One plane. φ, where the form has some, is `phi`: rows that are not loaded stay as they are.
template <Form F>
__device__ __forceinline__ void march_plane(Queue& queue, Worker& me, const WholeArgs& given,
                                            Shape::Shared& shared, Barriers<Shape>& barriers,
                                            const Profiles& profiles, const int i,
                                            float (&phi)[rows][lanes]) {
  constexpr bool near_z = F == z_form, x_only = F == x_form, general = F == xy_form || F == z_form;
  constexpr int pitch = Shape::threads_x + 2, width = Shape::threads_x;
  const StencilArgs<float>& args = given.both.args;
  const StencilWeights<float>& w = args.weights;
  const int stage = i & 1, parity = i >> 1 & 1;  // of u and of u⁻, which have two stages
  const bool completes = !near_z || i >= 2 * R;  // the other forms meet later planes alone
  const bool late = near_z && me.meets_late;
  const int z = me.first_z + i, z_phi = z - (late ? 1 : 0);  // the plane that comes, and that of φ
  unsigned thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  const int step = thread < Shape::group ? 0 : 1;
  const bool leads_warp = thread % 32 == 0;
  asm volatile("" : "+r"(me.rows), "+r"(me.index), "+r"(me.in_tile));  // nothing made of them is kept
  const unsigned my_rows = me.rows, index = me.index;
  const OfRound& round = profiles.round[step];
  const unsigned meets = F != inner_form ? rows_of_phi<F>(my_rows, given, round, z_phi) : 0;
  const unsigned phi_index = index + (late ? R - 1 : R) * given.stride_z;
  if (F != inner_form) {  // before the wait for the plane
    const float* const from = step == 0 ? args.phi : args.phi_next;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (near_z) as_vector(phi[r]) = {};  // the other forms load the same rows in all planes
      load_if((meets >> r & 1U) != 0, phi[r], from + (phi_index + r * given.stride_y));
    }
  }
  const Vector4<float>* const u = &shared.u[step][stage].value[0][0] + me.in_halo;
  barriers.full_u[step][stage].wait(parity);
  if (completes) {
    SharedBarrier& before = step == 0 ? barriers.full_before[stage] : barriers.full_centre[me.centre.stage];
    before.wait(step == 0 ? parity : me.centre.parity);
    barriers.full_v[me.v.stage].wait(me.v.parity);
    if (step == 0) barriers.empty_centre[me.centre.stage].wait(me.centre.parity ^ 1);
  }
  float column[rows + 2 * R][lanes];
#pragma unroll
  for (int r = 0; r < rows; ++r) copy(column[R + r], u[(R + r) * pitch]);
  const Profile* const y = round.y_profile + me.row;
  const float* const eta_x = round.eta + me.lane;
  // First what the plane completes: others wait for it. Points right of the grid have u, u⁻ and (V Δt)² of
  // zero, and so their u⁺ is what stands there. (Before the first plane it is computed of u alone and not
  // stored: behind a branch the compiler would move sums of other planes into it, and spill.)
  {
    Vector4<float>* const centre = &shared.centre[me.centre.stage].value[0][0] + me.in_tile;
    const Vector4<float>* const v = completes ? &shared.v2dt2[me.v.stage].value[0][0] + me.in_tile : u;
    const Vector4<float>* const before = !completes  ? u
                                         : step == 0 ? &shared.before[stage].value[0][0] + me.in_tile
                                                     : centre;
    const bool is_stored = !near_z || (z - R >= round.done_begin && z - R < round.done_end);
    const unsigned stored = is_stored ? my_rows : 0;
    float inverse_2eta[lanes], eta[lanes], eta_z = 0;
    if (F != inner_form) copy(eta, vector_in(eta_x));
    if (x_only) copy(inverse_2eta, vector_in(round.inverse_2eta + me.lane));
    if (near_z) eta_z = profiles.z[z - R + me.z_offset].eta;
    if (i == me.source) add_source(queue, me, args, round, shared.v2dt2[me.v.stage], eta_z);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      float v2dt2[lanes], u_before[lanes], next[lanes];
      const float(&u_here)[lanes] = queue.past[r][0];
      copy(u_before, before[r * width]);
      copy(v2dt2, v[r * width]);
      if (step == 0 && completes) centre[r * width] = as_vector(queue.past[r][0]);
      const float eta_yz = general ? y[r].eta + eta_z : 0;
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        const float sum = fused(w.z[R - 1], column[R + r][l], queue.sum[r][0][l]);
        if (general) {
          const float whole = eta[l] + eta_yz;
          next[l] = Pml::next(u_here[l], sum, v2dt2[l], u_before[l], -(whole * whole),
                              reciprocal(fused(2.0F, whole, 1.0F)));
        } else if (x_only) {
          next[l] = Pml::next(u_here[l], sum, v2dt2[l], u_before[l], -(eta[l] * eta[l]), inverse_2eta[l]);
        } else {
          next[l] = Inner::next({u_here[l], sum}, v2dt2[l], u_before[l]);
        }
      }
      store_if((stored >> r & 1U) != 0, me.target + (index + r * given.stride_y), next);
      // The sum of the plane that comes begins with the oldest plane, whose place it can take.
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        const float begun = w.z[R - 1] * queue.past[r][0][l];
#pragma unroll
        for (int m = 1; m < R; ++m) queue.past[r][m - 1][l] = queue.past[r][m][l];
        queue.past[r][R - 1][l] = column[R + r][l];
        queue.sum[r][0][l] = begun;
      }
    }
    if (completes) (step == 0 ? barriers.full_centre : barriers.empty_centre)[me.centre.stage].arrive();
    __syncwarp();
    if (leads_warp && completes) {
      (step == 0 ? barriers.empty_before[stage] : barriers.empty_v[me.v.stage]).arrive();
    }
  }
  if (near_z && !late) {  // the part of φ⁺ along z, of the plane before
    const Profile before = profiles.z[z - 1 + me.z_offset];
    const unsigned adds = rows_of_phi<F>(my_rows, given, round, z - 1);
    if (before.gradient != 0 && adds != 0) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if ((adds >> (4 + r) & 1U) == 0) continue;
        float eta[lanes], part[lanes];
        copy(eta, vector_in(eta_x));
#pragma unroll
        for (int l = 0; l < lanes; ++l) {
          const float kept = reciprocal(1.0F + (args.alpha + (eta[l] + (y[r].eta + before.eta))));
          part[l] = -before.gradient * kept * (column[R + r][l] - queue.past[r][1][l]);
        }
        add_in_l2(args.phi_next + (index + (R - 1) * given.stride_z + r * given.stride_y), part);
      }
    }
  }
#pragma unroll
  for (int k = 0; k < R; ++k) {
    copy(column[k], u[k * pitch]);
    copy(column[R + rows + k], u[(R + rows + k) * pitch]);
  }
  float gradient_x[lanes], minus_loss[lanes], eta_z = 0, gradient_z = 0;
  if (near_z) {
    const Profile here = profiles.z[z_phi + me.z_offset];
    eta_z = here.eta;
    gradient_z = late ? here.gradient : 0;
  }
  if (F != inner_form) copy(gradient_x, vector_in(round.gradient + me.lane));
  if (x_only) copy(minus_loss, vector_in(round.minus_loss + me.lane));
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const float(&here)[lanes] = column[R + r];
    float begun[lanes];
#pragma unroll
    for (int l = 0; l < lanes; ++l) begun[l] = queue.sum[r][0][l];
#pragma unroll
    for (int m = R - 1; m >= 1; --m) {
#pragma unroll
      for (int l = 0; l < lanes; ++l)
        queue.sum[r][R - 1 - m][l] = fused(w.z[m - 1], here[l], queue.sum[r][R - m][l]);
    }
    float across[3 * lanes];
    as_vector(*reinterpret_cast<float(*)[lanes]>(across)) = u[(R + r) * pitch - 1];
#pragma unroll
    for (int l = 0; l < lanes; ++l) across[lanes + l] = here[l];
    as_vector(*reinterpret_cast<float(*)[lanes]>(across + 2 * lanes)) = u[(R + r) * pitch + 1];
    if (near_z) {
#pragma unroll
      for (int l = 0; l < lanes; ++l) queue.sum[r][R - 2][l] += late ? phi[r][l] : 0;
    }
    if (F != inner_form && (x_only || (meets >> (4 + r) & 1U) != 0)) {
      float next[lanes], eta[lanes];
      if (general) copy(eta, vector_in(eta_x));
      const float eta_yz = general ? y[r].eta + eta_z : 0;
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        float decay = gradient_x[l] * (across[lanes + l + 1] - across[lanes + l - 1]);
        float loss = minus_loss[l];
        if (general) {
          decay = fused(y[r].gradient, column[R + r + 1][l] - column[R + r - 1][l], decay);
          if (near_z) decay = Pml::decay(decay, here[l] - queue.past[r][1][l], gradient_z);
          const float fading = args.alpha + (eta[l] + eta_yz);
          loss = -fading * reciprocal(1.0F + fading);
        }
        next[l] = Pml::phi_next(phi[r][l], decay, loss);
      }
      float* const to = args.phi_next + (phi_index + r * given.stride_y);
      if (x_only) {
        store_if((meets >> (4 + r) & 1U) != 0, to, next);
      } else {
        *reinterpret_cast<Vector4<float>*>(to) = as_vector(next);
      }
    }
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      float sum = begun[l];
#pragma unroll
      for (int m = R; m >= 2; --m) sum = fused(w.y[m - 1], column[R + r + m][l] + column[R + r - m][l], sum);
#pragma unroll
      for (int m = R; m >= 2; --m)
        sum = fused(w.x[m - 1], across[lanes + l + m] + across[lanes + l - m], sum);
#pragma unroll
      for (int m = R - 1; m >= 2; --m) sum = fused(w.z[m - 1], queue.past[r][R - 1 - m][l], sum);
      sum = fused(w.y[0], column[R + r + 1][l] + column[R + r - 1][l], sum);
      sum = fused(w.x[0], across[lanes + l + 1] + across[lanes + l - 1], sum);
      sum = fused(w.z[0], queue.past[r][R - 2][l], sum);
      sum = fused(w.centre, here[l], sum);
      if (F != inner_form) sum += late ? 0 : phi[r][l];
      queue.sum[r][R - 1][l] = sum;
    }
  }
  __syncwarp();
  if (leads_warp) barriers.empty_u[step][stage].arrive();
  me.index += given.stride_z;
  if (completes) {
    me.v.advance();
    me.centre.advance();
  }
}

/// Which slabs a tile of the block has points of: 1: x, 2: y.
__device__ int slabs_of_tile(const WholeArgs& given, const Round& round) {
  const Index3 begin = given.both.walk.tile_begin(round, blockIdx.x);
  const Box3& inner = given.both.args.inner;
  const bool x = begin.x <= inner.begin.x || begin.x + Shape::width >= inner.end.x;
  const bool y = begin.y <= inner.begin.y || begin.y + Shape::height >= inner.end.y;
  return (x ? 1 : 0) | (y ? 2 : 0);
}

/// Of a block's chunk in a round.
__host__ __device__ March march_of(const RoundWalk& walk, const Round& round, int chunk) {
  return {walk.planes_begin(round, chunk, 0), walk.planes_begin(round, chunk, 1),
          walk.planes_end(round, chunk, 1), round.planes + 2 * R};
}

/// The planes of a round from arrival i on, before `end`. All that a thread has beside its queue is made
/// anew.
template <Form F>
__device__ __forceinline__ void march_part(Queue& queue, const WholeArgs& given, Shape::Shared& shared,
                                           Barriers<Shape>& barriers, const Profiles& profiles, int number,
                                           int z_offset, int i, int end) {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  asm volatile("" : "+r"(number));
  const int step = thread < Shape::group ? 0 : 1, place = thread % Shape::group;
  const StencilArgs<float>& args = given.both.args;
  const RoundWalk& walk = given.both.walk;
  const Round& round = walk.rounds[number];
  const int tx = place % Shape::threads_x, ty = place / Shape::threads_x;
  Index3 p = walk.tile_begin(round, blockIdx.x);
  const int first_z = p.z - R;
  p.x += lanes * tx;
  p.y += rows * ty;
  const Box3 &box = args.box, &inner = args.inner;
  const Box3 done = walk.done_by(round, blockIdx.x, step), own = walk.done_by(round, blockIdx.x, 1);
  constexpr int sector = 8;
  const bool x_damps =
      p.x < (inner.begin.x + sector - 1) / sector * sector || p.x + lanes > inner.end.x / sector * sector;
  Worker me;
  me.rows = 0;
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int y = p.y + r;
    const bool is_there = p.x < box.end.x && y < box.end.y;
    const bool stored =
        is_there && p.x >= done.begin.x && p.x < done.end.x && y >= done.begin.y && y < done.end.y;
    const bool is_own =
        is_there && p.x >= own.begin.x && p.x < own.end.x && y >= own.begin.y && y < own.end.y;
    const bool y_damps = y < inner.begin.y || y >= inner.end.y, damps = x_damps || y_damps;
    me.rows |= (unsigned{stored} | unsigned{is_own} << 4 | unsigned{stored && damps} << 8 |
                unsigned{is_own && damps} << 12 | unsigned{y_damps} << 16)
               << r;
  }
  const bool has_source = step == 0 && args.source_sample != nullptr && args.source.x >= p.x &&
                          args.source.x < p.x + lanes && args.source.y >= p.y && args.source.y < p.y + rows;
  const int source = args.source.z - p.z + 2 * R;
  me.source = has_source && source >= 2 * R ? source : -1;
  me.first_z = first_z;
  me.index = static_cast<unsigned>(args.layout.index(p.x, p.y, p.z + i - 2 * R));
  me.row = ty * rows;
  me.lane = lanes * tx;
  me.in_tile = me.row * Shape::threads_x + tx;
  me.in_halo = me.row * (Shape::threads_x + 2) + tx + 1;
  me.target = step == 0 ? args.u_next : args.u_second;
  me.meets_late = F == z_form && slabs_of_tile(given, round) == 0;
  me.z_offset = z_offset;
  const unsigned completed = round.planes_before + max(i - 2 * R, 0);  // planes so far
  me.v = {static_cast<int>(completed % Shape::stages_v), static_cast<int>(completed / Shape::stages_v % 2)};
  me.centre = {static_cast<int>(completed % Shape::stages_centre),
               static_cast<int>(completed / Shape::stages_centre % 2)};
  float phi[rows][lanes] = {};
#pragma unroll 1
  do {
    march_plane<F>(queue, me, given, shared, barriers, profiles, i, phi);
  } while (++i != end);
}

/// By the threads of a step, which begin a round. Beyond the grid nothing damps.
__device__ void take_round(const WholeArgs& given, Profiles& profiles, const Round& round) {
  const int step = threadIdx.x / Shape::group, place = threadIdx.x % Shape::group;
  const auto all_of_step = [&] {
    if (step == 0) {
      asm volatile("bar.sync 1, %0;" ::"n"(Shape::group) : "memory");
    } else {
      asm volatile("bar.sync 2, %0;" ::"n"(Shape::group) : "memory");
    }
  };
  const StencilArgs<float>& args = given.both.args;
  const RoundWalk& walk = given.both.walk;
  const Index3 begin = walk.tile_begin(round, blockIdx.x);
  OfRound& to = profiles.round[step];
  all_of_step();
  if (place < Shape::width) {
    const int x = begin.x + place;
    const bool is_there = x < args.box.end.x;
    const float eta = is_there ? args.eta_x[x] : 0, fading = args.alpha + eta;
    to.eta[place] = eta;
    to.gradient[place] = is_there ? args.gradient_x * (args.eta_x[x + 1] - args.eta_x[x - 1]) : 0;
    to.inverse_2eta[place] = reciprocal(fused(2.0F, eta, 1.0F));
    to.minus_loss[place] = -fading * reciprocal(1.0F + fading);
  } else if (place < Shape::width + Shape::height) {
    const int row = place - Shape::width, y = begin.y + row;
    const bool is_there = y < args.box.end.y;
    to.y_profile[row] = {is_there ? args.eta_y[y] : 0,
                         is_there ? args.gradient_y * (args.eta_y[y + 1] - args.eta_y[y - 1]) : 0};
  } else if (place == Shape::width + Shape::height) {
    const Box3 done = walk.done_by(round, blockIdx.x, step), own = walk.done_by(round, blockIdx.x, 1);
    to.x = begin.x;
    to.y = begin.y;
    to.done_begin = done.begin.z;
    to.done_end = done.end.z;
    to.own_begin = own.begin.z;
    to.own_end = own.end.z;
  }
  all_of_step();
}

__device__ void compute(const WholeArgs& given, Shape::Shared& shared, Barriers<Shape>& barriers,
                        Profiles& profiles) {
  const RoundWalk& walk = given.both.walk;
  const int rounds = walk.rounds_of(blockIdx.x);
  Queue queue = {};
#pragma unroll 1
  for (int number = 0; number < rounds; ++number) {
    const Round& round = walk.rounds[number];
    take_round(given, profiles, round);
    const March march = march_of(walk, round, walk.chunk_of(round, blockIdx.x));
    const MarchParts parts = given.near.parts(march);
    const int slabs = slabs_of_tile(given, round);
    const int between = (slabs & 2) != 0 ? xy_form : slabs;
#pragma unroll 1
    for (int part = 0; part < 3; ++part) {
      const int begin = part == 0 ? 0 : part == 1 ? parts.free : parts.last;
      const int end = part == 0 ? parts.free : part == 1 ? parts.last : march.arrivals;
      const int form = part == 1 ? between : z_form;
      const int offset = part == 0 ? parts.first_offset : parts.last_offset;
      if (begin == end) continue;
      if (form == inner_form)
        march_part<inner_form>(queue, given, shared, barriers, profiles, number, 0, begin, end);
      if (form == x_form) march_part<x_form>(queue, given, shared, barriers, profiles, number, 0, begin, end);
      if (form == xy_form)
        march_part<xy_form>(queue, given, shared, barriers, profiles, number, 0, begin, end);
      if (form == z_form)
        march_part<z_form>(queue, given, shared, barriers, profiles, number, offset, begin, end);
    }
  }
}

/// By all threads, before the first use. Beyond the grid nothing damps.
__device__ void take_profile_z(const WholeArgs& given, Profiles& profiles) {
  const StencilArgs<float>& args = given.both.args;
  for (int i = threadIdx.x; i < Shape::most_damped_planes; i += blockDim.x) {
    const int z = given.near.plane_at(i);
    const bool is_there = z >= args.box.begin.z && z < args.box.end.z;
    profiles.z[i] = {is_there ? args.eta_z[z] : 0,
                     is_there ? args.gradient_z * (args.eta_z[z + 1] - args.eta_z[z - 1]) : 0};
  }
}

__global__ void __launch_bounds__(Shape::threads.x, 1) tma_whole(const __grid_constant__ WholeArgs given) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto& shared = *reinterpret_cast<Shape::Shared*>(memory);
  __shared__ Barriers<Shape> barriers;
  __shared__ __align__(16) Profiles profiles;
  if (threadIdx.x == 0) barriers.init();
  take_profile_z(given, profiles);
  __syncthreads();
  constexpr int computing = 2 * Shape::group;
  if (threadIdx.x < computing) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    compute(given, shared, barriers, profiles);
    return;
  }
  asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
  const int warp = (threadIdx.x - computing) / 32;
  const bool leads_warp = threadIdx.x % 32 == 0;
  if (warp == 0 && leads_warp) bring_fields<Shape>(given.both, shared, barriers);
  if (warp == 1) bring_first_step<Shape>(given.both, shared, barriers);
  if (warp >= 2 && leads_warp) announce<Shape>(given.both, barriers, warp - 2);
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ExitCode::resource, text(Shape::family, " is given ", why), "take --schedule two-steps");
}

/// The rounds over a box. Error 71 where it has too many of them, or more planes near the z slabs than a
/// block can keep.
RoundWalk rounds_over(const StencilArgs<float>& args, const PlanesNearSlabs& near) {
  const auto allows = [&](const RoundWalk& walk, const Round& round) {
    for (int chunk = 0; chunk < round.chunks; ++chunk) {
      if (!near.parts(march_of(walk, round, chunk)).is_possible) return false;
    }
    return true;
  };
  RoundTuning tuning;
  tuning.most_blocks = multiprocessors();
  tuning.planes_a_turn = planes_a_turn;
  tuning.chunk_lost = planes_lost;
  tuning.allows_chunks = allows;
  const RoundWalk walk = plan_rounds(args.box, args.layout, Shape::tile, tuning);
  const Extent3 n = args.box.extent();
  if (walk.count == 0)
    refuse(
        text(n.x, " x ", n.y, " points along x and y, more than ", RoundWalk::most_rounds, " rounds have"));
  if (!allows(walk, walk.rounds[walk.count - 1])) {
    refuse(text("z slabs of ", n.z - args.inner.extent().z, " planes together, more than ",
                Shape::most_damped_planes - 2 * (PlanesNearSlabs::free_planes + 2 * R)));
  }
  return walk;
}

class WholeLaunch final : public PlannedLaunch {
 public:
  explicit WholeLaunch(const StencilArgs<float>& args)
      : near_{args.box.begin.z, args.inner.begin.z, args.inner.end.z, Shape::most_damped_planes},
        walk_(rounds_over(args, near_)),
        facts_(prepare(
            {reinterpret_cast<const void*>(tma_whole), {walk_.blocks(), 1, 1}, Shape::threads.x, bytes},
            Shape::family)) {
    constexpr int sector = 8;
    if (walk_.first.x != args.box.begin.x || args.layout.index(args.box.begin.x, 0, 0) % sector != 0) {
      throw Error(ExitCode::internal,
                  text(Shape::family, " is given a domain that does not begin on a sector"),
                  "please report it");
    }
    if (args.layout.size > std::int64_t{std::numeric_limits<unsigned>::max()})
      refuse(text("fields of ", args.layout.size, " values, 2^32 are too many"));
    check_room<Shape>(walk_, facts_);
  }

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  [[nodiscard]] std::size_t workspace_bytes() const override { return two_steps_workspace(walk_); }
  void run(const StencilArgs<float>& args, void* stream) override {
    WholeArgs given{maps_.args_of(args, walk_), static_cast<unsigned>(args.layout.stride_y),
                    static_cast<unsigned>(args.layout.stride_z), near_};
    void* arguments[] = {&given};
    check_launch(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(tma_whole), dim3(walk_.blocks()),
                                             dim3(Shape::threads.x), arguments, bytes,
                                             static_cast<cudaStream_t>(stream)));
  }

 private:
  static constexpr std::size_t bytes = sizeof(Shape::Shared);
  PlanesNearSlabs near_;
  RoundWalk walk_;
  LaunchFacts facts_;
  TwoStepsMaps<Shape> maps_;
};

}  // namespace

std::array<Launches, TmaWholeList::size> tma_whole_launches() {
  std::array<Launches, TmaWholeList::size> launches;
  launches[0].whole = [](const StencilArgs<float>& args) -> std::unique_ptr<PlannedLaunch> {
    return std::make_unique<WholeLaunch>(args);
  };
  return launches;
}

}  // namespace minimod
