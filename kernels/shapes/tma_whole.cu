#include <limits>

#include "kernels/shapes/tma_whole.hpp"
#include "kernels/two_steps_pipeline.cuh"

namespace minimod {

namespace {

using Shape = TmaWhole;
using Inner = InnerUpdate<float>;
using Pml = PmlUpdate<float>;
constexpr int R = stencil_radius, rows = Shape::rows, lanes = 4;
constexpr int planes_a_turn =
    4;  ///< a strip has a multiple of them, so that stages of two go on across strips

/// All that the kernel gets. A plane arrives as number i of a strip, which completes plane i - 2R of the
/// grid.
struct WholeArgs {
  TwoStepsArgs both;
  unsigned stride_y, stride_z;  ///< of u and of φ, which lie alike
  int first_free, first_deep;   ///< arrivals before and from which on the z slabs are near
  int arrivals;                 ///< of a strip
};

/// η along an axis and (η₊ − η₋) / (4h²).
struct Profile {
  float eta, gradient;
};

/// What the block's points know of the profiles.
struct Profiles {
  /// Along x: −η², 1 / (1 + 2η), the loss of φ and the gradient where x alone damps; and η.
  float minus_eta2[Shape::width], inverse_2eta[Shape::width], minus_loss[Shape::width],
      gradient[Shape::width], eta[Shape::width];
  Profile y[2][Shape::height];  ///< of the strip that a step's threads are in
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

/// Of a thread in a strip and form.
struct Worker {
  unsigned index;  ///< of its first point in the plane that an arrival completes (mod 2³²)
  /// Bits of its rows: 0: stored; 4: the strip's own; 8, 12: the same where x or y damp; 16: y damps.
  unsigned rows;
  int source;  ///< arrival that completes the source's plane
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
__device__ unsigned rows_of_phi(unsigned bits, const WholeArgs& args, int z) {
  const unsigned across = (bits >> 8 & 0xff) | (bits & 0xf0000);
  if (F != z_form) return across;
  const Box3 &box = args.both.args.box, &inner = args.both.args.inner;
  if (z < box.begin.z || z >= box.end.z) return 0;
  return z < inner.begin.z || z >= inner.end.z ? (bits & 0xff) | 0xf0000 : across;
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
  const int z = args.box.begin.z + i - R, z_phi = z - (late ? 1 : 0);  // the plane that comes, and that of φ
  unsigned thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  const int step = thread < Shape::group ? 0 : 1;
  const bool leads_warp = thread % 32 == 0;
  asm volatile("" : "+r"(me.rows), "+r"(me.index), "+r"(me.in_tile));  // nothing made of them is kept
  const unsigned my_rows = me.rows, index = me.index;
  const unsigned meets = F != inner_form ? rows_of_phi<F>(my_rows, given, z_phi) : 0;
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
  const Profile* const y = profiles.y[step] + me.row;
  const float* const eta_x = profiles.eta + me.lane;
  // First what the plane completes: others wait for it. Points right of the grid have u, u⁻ and (V Δt)² of
  // zero, and so their u⁺ is what stands there. (Before the first plane it is computed of u alone and not
  // stored: behind a branch the compiler would move sums of other planes into it, and spill.)
  {
    Vector4<float>* const centre = &shared.centre[me.centre.stage].value[0][0] + me.in_tile;
    const Vector4<float>* const v = completes ? &shared.v2dt2[me.v.stage].value[0][0] + me.in_tile : u;
    const Vector4<float>* const before = !completes  ? u
                                         : step == 0 ? &shared.before[stage].value[0][0] + me.in_tile
                                                     : centre;
    const unsigned stored = !near_z || (completes && z - R < args.box.end.z) ? my_rows : 0;
    float minus_eta2[lanes], inverse_2eta[lanes], eta[lanes], eta_z = 0;
    if (general) copy(eta, vector_in(eta_x));
    if (x_only) {
      copy(minus_eta2, vector_in(profiles.minus_eta2 + me.lane));
      copy(inverse_2eta, vector_in(profiles.inverse_2eta + me.lane));
    }
    if (near_z) eta_z = profiles.z[z - R + me.z_offset].eta;
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
          next[l] = Pml::next(u_here[l], sum, v2dt2[l], u_before[l], minus_eta2[l], inverse_2eta[l]);
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
    if (i == me.source) {
      args.u_next[args.layout.index(args.source.x, args.source.y, args.source.z)] += *args.source_sample;
    }
    if (completes) (step == 0 ? barriers.full_centre : barriers.empty_centre)[me.centre.stage].arrive();
    __syncwarp();
    if (leads_warp && completes) {
      (step == 0 ? barriers.empty_before[stage] : barriers.empty_v[me.v.stage]).arrive();
    }
  }
  if (near_z && !late) {  // the part of φ⁺ along z, of the plane before
    const Profile before = profiles.z[z - 1 + me.z_offset];
    const unsigned adds = rows_of_phi<F>(my_rows, given, z - 1);
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
  if (F != inner_form) copy(gradient_x, vector_in(profiles.gradient + me.lane));
  if (x_only) copy(minus_loss, vector_in(profiles.minus_loss + me.lane));
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
__device__ int slabs_of_tile(const WholeArgs& given, int strip) {
  const Index3 begin = given.both.walk.tile_begin(blockIdx.x, strip);
  const Box3& inner = given.both.args.inner;
  const bool x = begin.x <= inner.begin.x || begin.x + Shape::width >= inner.end.x;
  const bool y = begin.y <= inner.begin.y || begin.y + Shape::height >= inner.end.y;
  return (x ? 1 : 0) | (y ? 2 : 0);
}

/// The planes of a strip from arrival i on, before `end`. All that a thread has beside its queue is made
/// anew.
template <Form F>
__device__ __forceinline__ void march_part(Queue& queue, const WholeArgs& given, Shape::Shared& shared,
                                           Barriers<Shape>& barriers, const Profiles& profiles, int strip,
                                           int i, int end) {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  asm volatile("" : "+r"(strip));
  const int step = thread < Shape::group ? 0 : 1, place = thread % Shape::group;
  const StencilArgs<float>& args = given.both.args;
  const StripWalk& walk = given.both.walk;
  const int tx = place % Shape::threads_x, ty = place / Shape::threads_x;
  Index3 p = walk.tile_begin(blockIdx.x, strip);
  p.x += lanes * tx;
  p.y += rows * ty;
  const Box3 &box = args.box, &inner = args.inner;
  constexpr int sector = 8;
  const bool x_damps =
      p.x < (inner.begin.x + sector - 1) / sector * sector || p.x + lanes > inner.end.x / sector * sector;
  Worker me;
  me.rows = 0;
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int y = p.y + r;
    const bool is_there = p.x < box.end.x && y < box.end.y;
    const bool stored = is_there && y >= walk.rows_begin(strip, step) && y < walk.rows_end(strip, step);
    const bool own = is_there && y >= walk.rows_begin(strip, 1) && y < walk.rows_end(strip, 1);
    const bool y_damps = y < inner.begin.y || y >= inner.end.y, damps = x_damps || y_damps;
    me.rows |= (unsigned{stored} | unsigned{own} << 4 | unsigned{stored && damps} << 8 |
                unsigned{own && damps} << 12 | unsigned{y_damps} << 16)
               << r;
  }
  const bool has_source = step == 0 && args.source_sample != nullptr && args.source.x >= p.x &&
                          args.source.x < p.x + lanes && args.source.y >= p.y && args.source.y < p.y + rows;
  me.source = has_source ? args.source.z - box.begin.z + 2 * R : -1;
  me.index = static_cast<unsigned>(args.layout.index(p.x, p.y, p.z + i - 2 * R));
  me.row = ty * rows;
  me.lane = lanes * tx;
  me.in_tile = me.row * Shape::threads_x + tx;
  me.in_halo = me.row * (Shape::threads_x + 2) + tx + 1;
  me.target = step == 0 ? args.u_next : args.u_second;
  me.meets_late = F == z_form && slabs_of_tile(given, strip) == 0;
  me.z_offset =
      2 * R - box.begin.z - (i < given.first_free ? 0 : max(given.first_deep - given.first_free - R, 0));
  const unsigned done = strip * given.both.planes + max(i - 2 * R, 0);  // planes completed so far
  me.v = {static_cast<int>(done % Shape::stages_v), static_cast<int>(done / Shape::stages_v % 2)};
  me.centre = {static_cast<int>(done % Shape::stages_centre),
               static_cast<int>(done / Shape::stages_centre % 2)};
  float phi[rows][lanes] = {};
#pragma unroll 1
  do {
    march_plane<F>(queue, me, given, shared, barriers, profiles, i, phi);
  } while (++i != end);
}

/// The η along y of the rows of a strip, for a step's threads.
__device__ void take_profile_y(const WholeArgs& given, Profiles& profiles, int strip) {
  const int step = threadIdx.x / Shape::group, place = threadIdx.x % Shape::group;
  const auto all_of_step = [&] {
    if (step == 0) {
      asm volatile("bar.sync 1, %0;" ::"n"(Shape::group) : "memory");
    } else {
      asm volatile("bar.sync 2, %0;" ::"n"(Shape::group) : "memory");
    }
  };
  all_of_step();
  if (place < Shape::height) {
    const StencilArgs<float>& args = given.both.args;
    const int y = given.both.walk.tile_begin(blockIdx.x, strip).y + place;
    const bool is_there = y < args.box.end.y;
    profiles.y[step][place] = {is_there ? args.eta_y[y] : 0,
                               is_there ? args.gradient_y * (args.eta_y[y + 1] - args.eta_y[y - 1]) : 0};
  }
  all_of_step();
}

__device__ void compute(const WholeArgs& given, Shape::Shared& shared, Barriers<Shape>& barriers,
                        Profiles& profiles) {
  Queue queue = {};
#pragma unroll 1
  for (int strip = 0; strip < given.both.walk.strips; ++strip) {
    take_profile_y(given, profiles, strip);
    const int slabs = slabs_of_tile(given, strip);
    const int between = (slabs & 2) != 0 ? xy_form : slabs;
#pragma unroll 1
    for (int part = 0; part < 3; ++part) {
      const int begin = part == 0 ? 0 : part == 1 ? given.first_free : given.first_deep;
      const int end = part == 0 ? given.first_free : part == 1 ? given.first_deep : given.arrivals;
      const int form = part == 1 ? between : z_form;
      if (begin == end) continue;
      if (form == inner_form)
        march_part<inner_form>(queue, given, shared, barriers, profiles, strip, begin, end);
      if (form == x_form) march_part<x_form>(queue, given, shared, barriers, profiles, strip, begin, end);
      if (form == xy_form) march_part<xy_form>(queue, given, shared, barriers, profiles, strip, begin, end);
      if (form == z_form) march_part<z_form>(queue, given, shared, barriers, profiles, strip, begin, end);
    }
  }
}

/// By all threads, before the first use. Beyond the grid nothing damps.
__device__ void take_profiles(const WholeArgs& given, Profiles& profiles) {
  const StencilArgs<float>& args = given.both.args;
  const Index3 begin = given.both.walk.tile_begin(blockIdx.x, 0);
  for (int i = threadIdx.x; i < Shape::width; i += blockDim.x) {
    const int x = begin.x + i;
    const bool is_there = x < args.box.end.x;
    const float eta = is_there ? args.eta_x[x] : 0;
    const Damping<float> damping = Damping<float>::of(eta, args.alpha);
    profiles.eta[i] = eta;
    profiles.minus_eta2[i] = damping.minus_eta2;
    profiles.inverse_2eta[i] = damping.inverse_2eta;
    profiles.minus_loss[i] = damping.minus_loss;
    profiles.gradient[i] = is_there ? args.gradient_x * (args.eta_x[x + 1] - args.eta_x[x - 1]) : 0;
  }
  const int skipped = max(given.first_deep - given.first_free - R, 0);
  for (int i = threadIdx.x; i < Shape::most_damped_planes; i += blockDim.x) {
    const int z = args.box.begin.z + i - 2 * R + (i < given.first_free + R ? 0 : skipped);
    const bool is_there = z >= args.box.begin.z && z < args.box.end.z;
    profiles.z[i] = {is_there ? args.eta_z[z] : 0,
                     is_there ? args.gradient_z * (args.eta_z[z + 1] - args.eta_z[z - 1]) : 0};
  }
}

__global__ void __launch_bounds__(Shape::threads.x, 1)
    tma_whole(const __grid_constant__ WholeArgs given, const __grid_constant__ TileWalk rounds) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto& shared = *reinterpret_cast<Shape::Shared*>(memory);
  __shared__ Barriers<Shape> barriers;
  __shared__ __align__(16) Profiles profiles;
  if (threadIdx.x == 0) barriers.init();
  take_profiles(given, profiles);
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
  if (warp == 0 && leads_warp) bring_fields<Shape>(given.both, shared, barriers, rounds);
  if (warp == 1) bring_first_step<Shape>(given.both, shared, barriers);
  if (warp >= 2 && leads_warp) announce<Shape>(given.both, barriers, warp - 2);
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ExitCode::resource, text(Shape::family, " is given ", why), "take --schedule two-steps");
}

class WholeLaunch final : public PlannedLaunch {
 public:
  explicit WholeLaunch(const StencilArgs<float>& args)
      : walk_(strips_over<Shape>(args.box, args.layout)),
        planes_(ceil_div(walk_.planes(), planes_a_turn) * planes_a_turn),
        arrivals_(planes_ + 2 * R),
        first_free_(args.inner.begin.z - args.box.begin.z + 2 * R),
        first_deep_(args.inner.end.z - args.box.begin.z + R),
        facts_(prepare(
            {reinterpret_cast<const void*>(tma_whole), {walk_.blocks(), 1, 1}, Shape::threads.x, bytes},
            Shape::family)) {
    if (first_free_ >= first_deep_) first_free_ = first_deep_ = arrivals_;  // near the z slabs everywhere
    constexpr int sector = 8;
    if (walk_.first.x != args.box.begin.x || args.layout.index(args.box.begin.x, 0, 0) % sector != 0) {
      throw Error(ExitCode::internal,
                  text(Shape::family, " is given a domain that does not begin on a sector"),
                  "please report it");
    }
    if (args.layout.size > std::int64_t{std::numeric_limits<unsigned>::max()})
      refuse(text("fields of ", args.layout.size, " values, 2^32 are too many"));
    const int damped = arrivals_ - first_deep_ + first_free_ + 2 * R;
    if (damped > Shape::most_damped_planes) {
      refuse(text("z slabs of ", damped - 4 * R, " planes together, more than ",
                  Shape::most_damped_planes - 4 * R));
    }
    check_room<Shape>(walk_, facts_);
  }

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  [[nodiscard]] std::size_t workspace_bytes() const override { return two_steps_workspace(walk_, planes_); }
  void run(const StencilArgs<float>& args, void* stream) override {
    WholeArgs given{maps_.args_of(args, walk_, planes_),
                    static_cast<unsigned>(args.layout.stride_y),
                    static_cast<unsigned>(args.layout.stride_z),
                    first_free_,
                    first_deep_,
                    arrivals_};
    TileWalk rounds = rounds_of(walk_);
    void* arguments[] = {&given, &rounds};
    check_launch(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(tma_whole), dim3(walk_.blocks()),
                                             dim3(Shape::threads.x), arguments, bytes,
                                             static_cast<cudaStream_t>(stream)));
  }

 private:
  static constexpr std::size_t bytes = sizeof(Shape::Shared);
  StripWalk walk_;
  int planes_, arrivals_, first_free_, first_deep_;  ///< as WholeArgs has them
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
