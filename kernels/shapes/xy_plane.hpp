/// Planes of u around a 2-D tile in shared memory, as the 2.5-D streaming shapes stage them: the plane
/// itself, and how a plane after the other gets there (`OnePlane`, `TwoPlanes`).
#pragma once

#include "kernels/shapes/streaming.hpp"

namespace minimod {

/// A tile of Dx x Dy points and its halo of R on four sides. The corners are never filled: no star reads
/// them.
template <class Real, int Dx, int Dy, int R>
struct XyPlane {
  using LaneType = Lane<Dx, Dy, R>;
  Real value[Dy + 2 * R][Dx + 2 * R];

  /// Brings the plane by copy(to, from); `from` is the lane's own point.
  template <class Copy>
  MINIMOD_HD void fill(const LaneType& lane, const Real* from, std::int64_t stride_y, const Copy& copy) {
    if (!lane.fetches()) return;
    copy(&value[lane.t.y + R][lane.t.x + R], from);
    fill_halo(lane, from, stride_y, copy);
  }

  /// The same with plain copies for a thread that has its own value already.
  MINIMOD_HD void fill(const LaneType& lane, Real own, const Real* from, std::int64_t stride_y) {
    if (!lane.fetches()) return;
    value[lane.t.y + R][lane.t.x + R] = own;
    fill_halo(lane, from, stride_y, plain_copy);
  }

  static MINIMOD_HD void plain_copy(Real* to, const Real* from) { *to = *from; }

 private:
  /// The first R threads of each axis bring the halo points R before the tile and Dx (or Dy) behind, unless
  /// the tile is cut by the box's end and nobody needs them.
  template <class Copy>
  MINIMOD_HD void fill_halo(const LaneType& lane, const Real* from, std::int64_t stride_y, const Copy& copy) {
    static_assert(Dx >= R && Dy >= R, "the first R threads of each axis fetch both halos");
    const int i = lane.t.x + R, j = lane.t.y + R;
    if (lane.t.x < R) {
      copy(&value[j][i - R], from - R);
      if (Dx < lane.reach_x) copy(&value[j][i + Dx], from + Dx);
    }
    if (lane.t.y < R) {
      copy(&value[j - R][i], from - R * stride_y);
      if (Dy < lane.reach_y) copy(&value[j + Dy][i], from + Dy * stride_y);
    }
  }
};

/// Which plane of its march a block is at.
struct Step {
  int number;    ///< from 0
  bool is_last;  ///< no plane follows
};

/// The shared memory of a block with one plane: filled, a barrier, read, a barrier.
template <class Real, int Dx, int Dy, int R>
struct OnePlane {
  using Plane = XyPlane<Real, Dx, Dy, R>;
  Plane plane;

  template <class Block>
  MINIMOD_HD void begin(const Block&, const Lane<Dx, Dy, R>&, const Real* /*first*/, const Layout&) {}

  /// The plane that `from` points into, ready to be read by all threads; `own` is the lane's value in it.
  template <class Block>
  MINIMOD_HD const Plane& bring(const Block& block, const Lane<Dx, Dy, R>& lane, Real own, const Real* from,
                                const Layout& at, Step) {
    plane.fill(lane, own, from, at.stride_y);
    block.sync();
    return plane;
  }

  /// The plane has been read.
  template <class Block>
  MINIMOD_HD void release(const Block& block) {
    block.sync();
  }
};

/// The shared memory of a block with two planes: while one is read, the next arrives in the other by
/// asynchronous copies, tile and halo. One barrier a plane, which says both that the next plane is there for
/// all threads and that all have read the one before.
template <class Real, int Dx, int Dy, int R>
struct TwoPlanes {
  using Plane = XyPlane<Real, Dx, Dy, R>;
  Plane plane[2];

  template <class Block>
  MINIMOD_HD void begin(const Block& block, const Lane<Dx, Dy, R>& lane, const Real* first,
                        const Layout& at) {
    fetch(block, lane, plane[0], first, at);
  }

  template <class Block>
  MINIMOD_HD const Plane& bring(const Block& block, const Lane<Dx, Dy, R>& lane, Real /*own*/,
                                const Real* from, const Layout& at, Step step) {
    block.template wait<0>();
    block.sync();
    if (!step.is_last) fetch(block, lane, plane[(step.number + 1) & 1], from + at.stride_z, at);
    return plane[step.number & 1];
  }

  template <class Block>
  MINIMOD_HD void release(const Block&) {}

 private:
  template <class Block>
  static MINIMOD_HD void fetch(const Block& block, const Lane<Dx, Dy, R>& lane, Plane& to, const Real* from,
                               const Layout& at) {
    to.fill(lane, from, at.stride_y, [&](Real* value, const Real* in) { block.copy_async(value, in); });
    block.commit();
  }
};

}  // namespace minimod
