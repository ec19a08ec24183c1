/// A plane of a pass over the domain (tma_whole_pass.hpp): what a thread makes of it, from the wait for its
/// values to the sums that later planes complete.
#pragma once

#include "kernels/whole/pass_thread.hpp"

namespace minimod {

/// The plane that arrival i brings, in a form of the loop, and what a thread makes of it.
template <class Shape, class Block, PassForm F>
struct PassPlane : PassThread<Shape, Block> {
  using Thread = PassThread<Shape, Block>;
  using Thread::R, Thread::beside, Thread::rows, Thread::lanes, Thread::has_second, Thread::in_chunks,
      Thread::copy, Thread::as_vector, Thread::at, Thread::vector_in, Thread::step_of, Thread::anew;
  using typename Thread::Args, typename Thread::Domain, typename Thread::Barriers, typename Thread::OfRound,
      typename Thread::Profile, typename Thread::Profiles, typename Thread::Queue, typename Thread::Shared,
      typename Thread::Worker;
  using Inner = InnerUpdate<float, R>;
  using Pml = PmlUpdate<float, R>;
  static constexpr bool near_z = F == z_form, x_only = F == x_form, general = F == xy_form || F == z_form;
  static constexpr bool has_tables = in_chunks && F == xy_form;  ///< tables of what η makes of the points
  /// Whether the second step is one plane behind: φ⁺ must be done when u⁺ is stored, and is there with it.
  static constexpr bool is_close = R == 1;
  static constexpr int pitch = Shape::threads_x + (in_chunks ? 0 : 2 * beside), width = Shape::threads_x;
  static constexpr int around = (2 * beside + 1) * lanes, own = beside * lanes;  ///< a row with its halo

  Queue& queue;
  Worker& me;
  const Args& given;
  Shared& shared;
  Barriers& barriers;
  const Profiles& profiles;
  const int i;
  float (&phi)[rows][lanes];  ///< where the form has some: rows that are not loaded stay as they are

  const Domain& args = given.pass.args;
  const StencilWeights<float, R>& w = args.weights;
  const decltype(me.rings.u(0)) u_at = me.rings.u(i);
  const bool completes = !near_z || i >= 2 * R;  ///< the other forms meet later planes alone
  const bool late = near_z && me.meets_late;
  const int z = me.first_z + i, z_phi = z - (late ? 1 : 0);  ///< the plane that comes, and that of φ
  const unsigned thread = Block::thread_anew();
  const int step = step_of(thread);
  const unsigned my_rows = anew(me).rows, index = me.index;
  const OfRound& round = profiles.round[step];
  const unsigned meets = F != inner_form ? Thread::template rows_of_phi<F>(my_rows, given, round, z_phi) : 0;
  const unsigned phi_index = index + (late ? R - 1 : R) * given.stride_z;
  const Profile* const y = round.y_profile + me.row;
  const float* const eta_x = round.eta + me.lane;
  /// In shared memory, R rows before the thread's first.
  const Vector4<float>* const u = &shared.u[step][u_at.stage].value[0][0] + me.in_halo;
  float column[rows + 2 * R][lanes] = {};  ///< the thread's rows and those beside them

  MINIMOD_IN_LOOP void march() {
    const bool leads_warp = thread % 32 == 0;
    if (F != inner_form && !is_close) load_phi();
    barriers.full_u[step][u_at.stage].wait(u_at.parity);
    if (completes) me.rings.wait_for_fields(barriers, step, i);
    if (F != inner_form && is_close) load_phi();
    take_rows();
    if (near_z && is_close) add_phi_along_z();
    complete();
    if (completes && !in_chunks) me.rings.hand_over(barriers, step);
    Block::sync_warp();
    if (leads_warp && completes) {
      if (in_chunks) me.rings.hand_over(barriers, step);
      me.rings.release(barriers, step, i);
    }
    if (near_z && !is_close && !late) add_phi_along_z();
    take_halo();
    begin();
    Block::sync_warp();
    if (leads_warp) barriers.empty_u[step][u_at.stage].arrive();
    me.index += given.stride_z;
    if constexpr (in_chunks) Thread::turn_changes(me);
    me.rings.advance(completes);
  }

  /// The values of a row of a field, of which a vector of the first row is known.
  template <class Value>
  [[nodiscard]] MINIMOD_IN_LOOP Value* row_at(Value* field, unsigned first, int r, unsigned changes) const {
    if constexpr (in_chunks)
      return at(field, first ^ (changes & ChunkLayout::vectors)) + r * ChunkLayout::width;
    return at(field, first + r * given.stride_y);
  }

  /// Not zero where φ⁺ of a row is stored.
  [[nodiscard]] MINIMOD_IN_LOOP unsigned stores_phi(int r) const { return meets & 1U << (4 + r); }

  /// φ of the rows that meet it, which is on its way before the wait for the plane.
  MINIMOD_IN_LOOP void load_phi() {
    const float* const from = step == 0 ? args.phi : args.phi_next;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (near_z) as_vector(phi[r]) = {};  // the other forms load the same rows in all planes
      const unsigned wanted = meets & 1U << r;
      Block::load_if(wanted, phi[r], row_at(from, phi_index, r, me.changes[1]));
      // The next plane's, for which its loads would wait the longer; a wrong chunk's behind 32 arrivals.
      if (!has_second || in_chunks) {
        Block::prefetch_if(!has_second || step == 0 ? wanted : 0,
                           row_at(from, phi_index + given.stride_z, r, me.changes[1] >> 1));
      }
    }
  }

  /// The thread's own rows of the plane that comes.
  MINIMOD_IN_LOOP void take_rows() {
    const bool is_image = near_z && step == 1 && z < given.surface;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      copy(column[R + r], u[(R + r) * pitch]);
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        if (is_image) column[R + r][l] = -column[R + r][l];
      }
    }
  }

  /// The rows beside them.
  MINIMOD_IN_LOOP void take_halo() {
#pragma unroll
    for (int k = 0; k < R; ++k) {
      copy(column[k], u[k * pitch]);
      copy(column[R + rows + k], u[(R + rows + k) * pitch]);
    }
  }

  /// First what the plane completes: others wait for it. Points right of the grid have u, u⁻ and (V Δt)² of
  /// zero, and so their u⁺ is what stands there. (Before the first plane it is computed of u alone and not
  /// stored: behind a branch the compiler would move sums of other planes into it, and spill.)
  MINIMOD_IN_LOOP void complete() {
    const Vector4<float>* const v = completes ? me.rings.v2dt2(shared) + me.in_tile : u;
    const Vector4<float>* const before = completes ? me.rings.u_before(shared, step, i) + me.in_tile : u;
    const bool is_stored = !near_z || (z - R >= round.stored_begin && z - R < round.stored_end);
    const unsigned stored = is_stored ? my_rows : 0;
    float inverse_2eta[lanes], eta[lanes], eta_z = 0;
    if (F != inner_form) copy(eta, vector_in(eta_x));
    if (x_only) copy(inverse_2eta, vector_in(round.inverse_2eta + me.lane));
    if (near_z) eta_z = profiles.z[z - R + me.z_offset].eta;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      float v2dt2[lanes], u_before[lanes], next[lanes];
      const float(&u_here)[lanes] = queue.u(r, R - 1);
      copy(u_before, before[r * width]);
      copy(v2dt2, v[r * width]);
      if (step == 0 && completes)
        me.rings.keep_u(shared, me.in_tile + r * width, as_vector(queue.past[r][queue.kept - R]));
      const float eta_yz = general ? y[r].eta + eta_z : 0;
      float tabled[lanes] = {};
      if constexpr (has_tables) copy(tabled, (&shared.inverse_2eta.value[0][0])[me.in_tile + r * width]);
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        const float sum = fused(w.z[R - 1], column[R + r][l], queue.sum[r][0][l]);
        if (general) {
          const float whole = eta[l] + eta_yz;
          next[l] = Pml::next(u_here[l], sum, v2dt2[l], u_before[l], -(whole * whole),
                              has_tables ? tabled[l] : Block::reciprocal(fused(2.0F, whole, 1.0F)));
        } else if (x_only) {
          next[l] = Pml::next(u_here[l], sum, v2dt2[l], u_before[l], -(eta[l] * eta[l]), inverse_2eta[l]);
        } else {
          next[l] = Inner::next({u_here[l], sum, 0, 0, 0}, v2dt2[l], u_before[l]);
        }
        if (near_z && z - R == given.surface) next[l] = 0;
      }
      Block::store_if(stored & 1U << r, row_at(me.target, index, r, me.changes[0]), next);
      move_on(r);
    }
  }

  /// A row's queue takes the plane that comes. Its sum begins with the oldest plane, whose place it can
  /// take.
  MINIMOD_IN_LOOP void move_on(int r) {
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      const float begun = w.z[R - 1] * queue.u(r, R - 1)[l];
#pragma unroll
      for (int m = 1; m < queue.kept; ++m) queue.past[r][m - 1][l] = queue.past[r][m][l];
      queue.past[r][queue.kept - 1][l] = column[R + r][l];
      queue.sum[r][0][l] = begun;
    }
  }

  /// The part of φ⁺ along z, of the plane before.
  MINIMOD_IN_LOOP void add_phi_along_z() {
    const Profile before = profiles.z[z - 1 + me.z_offset];
    const unsigned adds = Thread::template rows_of_phi<F>(my_rows, given, round, z - 1);
    if (before.gradient == 0 || adds == 0) return;
    const unsigned index_before = index + (R - 1) * given.stride_z;
    unsigned changes_before = 0;
    if constexpr (in_chunks)
      changes_before = given.pass.places.of_vector(index_before, given.pass.places.phi[1]) ^ index_before;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if ((adds >> (4 + r) & 1U) == 0) continue;
      float eta[lanes], part[lanes];
      copy(eta, vector_in(eta_x));
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        const float kept = Block::reciprocal(1.0F + (args.alpha + (eta[l] + (y[r].eta + before.eta))));
        part[l] = -before.gradient * kept * (column[R + r][l] - queue.u(r, is_close ? 1 : 2)[l]);
      }
      Block::add_in_l2(row_at(args.phi_next, index_before, r, changes_before), part);
    }
  }

  /// The sums of the plane that comes, and its part of those of the planes before.
  MINIMOD_IN_LOOP void begin() {
    float eta_z = 0, gradient_z = 0;
    if (near_z) {
      const Profile here = profiles.z[z_phi + me.z_offset];
      eta_z = here.eta;
      gradient_z = late ? here.gradient : 0;
    }
    float gradient_x[lanes], minus_loss[lanes];
    if (F != inner_form) copy(gradient_x, vector_in(round.gradient + me.lane));
    if (x_only) copy(minus_loss, vector_in(round.minus_loss + me.lane));
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      float begun[lanes];
#pragma unroll
      for (int l = 0; l < lanes; ++l) begun[l] = queue.sum[r][0][l];
      add_to_sums(r);
      float across[around];
      take_across(r, across);
      if (F != inner_form && (x_only || stores_phi(r) != 0))
        store_phi(r, across, gradient_x, minus_loss, eta_z, gradient_z);
      begin_sum(r, across, begun);
    }
  }

  /// A row's part, along z, of the sums of the planes before, which move on.
  MINIMOD_IN_LOOP void add_to_sums(int r) {
    if (near_z) {  // the plane before takes its φ as where that came early
#pragma unroll
      for (int l = 0; l < lanes; ++l) queue.sum[r][R - 1][l] += late ? phi[r][l] : 0;
    }
#pragma unroll
    for (int m = R - 1; m >= 1; --m) {
#pragma unroll
      for (int l = 0; l < lanes; ++l)
        queue.sum[r][R - 1 - m][l] = fused(w.z[m - 1], column[R + r][l], queue.sum[r][R - m][l]);
    }
  }

  /// A row with the vectors left and right of its points.
  MINIMOD_IN_LOOP void take_across(int r, float (&across)[around]) const {
#pragma unroll
    for (int k = 0; k < beside; ++k)
      as_vector(*reinterpret_cast<float(*)[lanes]>(across + k * lanes)) = *beside_row(r, 0, beside - 1 - k);
#pragma unroll
    for (int l = 0; l < lanes; ++l) across[own + l] = column[R + r][l];
#pragma unroll
    for (int k = 0; k < beside; ++k)
      as_vector(*reinterpret_cast<float(*)[lanes]>(across + own + (k + 1) * lanes)) = *beside_row(r, 1, k);
  }
  /// The vector left (0) or right (1) of a row, the one that is so many further.
  [[nodiscard]] MINIMOD_IN_LOOP const Vector4<float>* beside_row(int r, int side, int further) const {
    const Vector4<float>* const inside = u + R * pitch + (2 * side - 1) * (1 + further);
    if constexpr (in_chunks) {
      const bool at_edge = thread % width == static_cast<unsigned>(side * (width - 1));
      return (at_edge ? &shared.u[step][u_at.stage].beside[side][me.row] : inside) +
             r * (at_edge ? 1 : pitch);
    } else {
      return inside + r * pitch;
    }
  }

  /// φ⁺ of a row, but for its part along z where that is added later.
  MINIMOD_IN_LOOP void store_phi(int r, const float (&across)[around], const float (&gradient_x)[lanes],
                                 const float (&minus_loss)[lanes], float eta_z, float gradient_z) const {
    float next[lanes], eta[lanes];
    if (general) copy(eta, vector_in(eta_x));
    const float eta_yz = general ? y[r].eta + eta_z : 0;
    float tabled[lanes] = {};
    if constexpr (has_tables) copy(tabled, (&shared.minus_loss.value[0][0])[me.in_tile + r * width]);
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      float decay = gradient_x[l] * (across[own + l + 1] - across[own + l - 1]);
      float loss = minus_loss[l];
      if (general) {
        decay = fused(y[r].gradient, column[R + r + 1][l] - column[R + r - 1][l], decay);
        if (near_z && !is_close) decay = Pml::decay(decay, column[R + r][l] - queue.u(r, 2)[l], gradient_z);
        const float fading = args.alpha + (eta[l] + eta_yz);
        loss = has_tables ? tabled[l] : -fading * Block::reciprocal(1.0F + fading);
      }
      next[l] = Pml::phi_next(phi[r][l], decay, loss);
    }
    float* const to = row_at(args.phi_next, phi_index, r, me.changes[2]);
    if (x_only) {
      Block::store_if(stores_phi(r), to, next);
    } else {
      *reinterpret_cast<Vector4<float>*>(to) = as_vector(next);
    }
  }

  /// The sum of a row of the plane that comes, of all that is known of it.
  MINIMOD_IN_LOOP void begin_sum(int r, const float (&across)[around], const float (&begun)[lanes]) {
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      float sum = begun[l];
#pragma unroll
      for (int m = R; m >= 2; --m) sum = fused(w.y[m - 1], column[R + r + m][l] + column[R + r - m][l], sum);
#pragma unroll
      for (int m = R; m >= 2; --m) sum = fused(w.x[m - 1], across[own + l + m] + across[own + l - m], sum);
#pragma unroll
      for (int m = R - 1; m >= 2; --m) sum = fused(w.z[m - 1], queue.u(r, m)[l], sum);
      sum = fused(w.y[0], column[R + r + 1][l] + column[R + r - 1][l], sum);
      sum = fused(w.x[0], across[own + l + 1] + across[own + l - 1], sum);
      if (R > 1) sum = fused(w.z[0], queue.u(r, 1)[l], sum);
      sum = fused(w.centre, column[R + r][l], sum);
      if (F != inner_form) sum += late ? 0 : phi[r][l];
      queue.sum[r][R - 1][l] = sum;
    }
  }
};

}  // namespace minimod
