/// The in-plane method on vectors: what a thread keeps of the planes that it has seen.
#pragma once

#include "kernels/stencil.hpp"
#include "kernels/vector4.hpp"

namespace minimod {

/// Rows of four points each, marching along z. The plane that comes gives the points their part of the star
/// along x and y and, along z, that of the R planes before; it completes the results of the plane R before.
/// Slot `phase` of a queue is the oldest, and the new plane takes its place: unrolled R times, all slots are
/// constants. (Tang et al., IPDPS 2013; see kernels/shapes/in_plane.hpp.)
template <class Real, int R, int Rows>
struct VectorQueue {
  static_assert(R == 4, "the halo along x is one vector on either side");
  using Vector = Vector4<Real>;
  Vector past[Rows][R] = {};       ///< u
  Vector laplacian[Rows][R] = {};  ///< what is known of ∇²ₕu

  /// A plane of a tile with its halo, in shared memory.
  struct Plane {
    const Vector* first;  ///< the points of the thread's first row
    int pitch;            ///< vectors of a row
    [[nodiscard]] MINIMOD_HD Vector row(int r) const { return first[r * pitch]; }
  };

  /// A lane's star without the planes to come: minus zero changes no sum, so that the compiler drops it.
  struct KnownStar {
    const VectorQueue& queue;
    const Vector* across;  ///< the vectors left of, at, and right of the points
    const Vector* column;  ///< at the points; rows lie side by side
    int row, phase, lane;
    MINIMOD_HD Real x(int m) const { return across[(4 + lane + m) / 4].value[(4 + lane + m) % 4]; }
    MINIMOD_HD Real y(int m) const { return column[m].value[lane]; }
    MINIMOD_HD Real z(int m) const {
      return m > 0 ? Real(-0.0) : queue.past[row][(phase + R + m) % R].value[lane];
    }
  };

  /// Takes the plane that comes. Calls finish(row, u, laplacian) with the complete vectors of the plane R
  /// before, then finished(), and only then works on.
  template <class Finish, class Finished>
  MINIMOD_HD void push(const StencilWeights<Real, R>& w, const Plane& plane, int phase, const Finish& finish,
                       const Finished& finished) {
    Vector column[Rows + 2 * R];
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      column[R + r] = plane.row(r);
      Vector complete;
#pragma unroll
      for (int i = 0; i < 4; ++i)
        complete.value[i] = fused(w.z[R - 1], column[R + r].value[i], laplacian[r][phase].value[i]);
      finish(r, past[r][phase], complete);
    }
    finished();
#pragma unroll
    for (int k = 0; k < R; ++k) {
      column[k] = plane.row(k - R);
      column[R + Rows + k] = plane.row(Rows + k);
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) add_row(w, plane, column, r, phase);
  }

 private:
  MINIMOD_HD void add_row(const StencilWeights<Real, R>& w, const Plane& plane, const Vector* column, int r,
                          int phase) {
    const Vector u = column[R + r];
#pragma unroll
    for (int m = 1; m < R; ++m) {
      Vector& before = laplacian[r][(phase + R - m) % R];
#pragma unroll
      for (int i = 0; i < 4; ++i) before.value[i] = fused(w.z[m - 1], u.value[i], before.value[i]);
    }
    const Vector across[3] = {plane.first[r * plane.pitch - 1], u, plane.first[r * plane.pitch + 1]};
    Vector begun;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      begun.value[i] = evaluate(w, KnownStar{*this, across, column + R + r, r, phase, i}).laplacian;
    laplacian[r][phase] = begun;
    past[r][phase] = u;
  }
};

}  // namespace minimod
