/// The in-plane method on vectors: what a thread keeps of the planes that it has seen.
#pragma once

#include "kernels/damping_of_points.hpp"
#include "kernels/shape.hpp"
#include "kernels/vector4.hpp"

namespace minimod {

/// Rows of a vector of points each, marching along z. The plane that comes gives the points their part of the
/// star along x and y and, along z, that of the R planes before; it completes the results of the plane R
/// before. Slot `phase` of a queue is the oldest, and the new plane takes its place: unrolled R times, all
/// slots are constants. (Tang et al., IPDPS 2013; see kernels/shapes/in_plane.hpp.)
template <class Update, int Rows>
struct VectorQueue {
  using Real = typename Update::Real;
  static constexpr int R = Update::radius, V = reals_of_vector<Real>;
  static constexpr int beside = ceil_div(R, V);  ///< vectors of the halo along x, on either side
  using Vector = minimod::Vector<Real, V>;
  Vector past[Rows][R] = {};       ///< u
  Vector laplacian[Rows][R] = {};  ///< known part of ∇²ₕu
  Vector decay[Rows][R] = {};      ///< part of the PML's φ along x and y
  Vector u_above[Rows] = {};  ///< u of the plane R + 1 before: the PML's φ asks for its neighbours along z

  /// The complete results of a plane, of a row.
  struct Complete {
    Vector u, laplacian, decay, dz;
  };

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
    MINIMOD_HD Real x(int m) const {
      const int place = V * beside + lane + m;
      return across[place / V].value[place % V];
    }
    MINIMOD_HD Real y(int m) const { return column[m].value[lane]; }
    MINIMOD_HD Real z(int m) const {
      return m > 0 ? Real(-0.0) : queue.past[row][(phase + R + m) % R].value[lane];
    }
  };

  /// Takes the plane that comes. Calls finish(row, complete) with the results of the plane R before, then
  /// finished(), and only then works on. `damping`: of the points, for its gradients along x and y.
  template <class Finish, class Finished>
  MINIMOD_HD void push(const StencilWeights<Real, R>& w, const Plane& plane, int phase,
                       const DampingOfPoints<Update, V, Rows>& damping, const Finish& finish,
                       const Finished& finished) {
    Vector column[Rows + 2 * R];
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      column[R + r] = plane.row(r);
      Complete complete{past[r][phase], {}, decay[r][phase], {}};
#pragma unroll
      for (int i = 0; i < V; ++i) {
        complete.laplacian.value[i] = fused(w.z[R - 1], column[R + r].value[i], laplacian[r][phase].value[i]);
        const Vector& below = R > 1 ? past[r][(phase + 1) % R] : column[R + r];
        complete.dz.value[i] = below.value[i] - u_above[r].value[i];
      }
      finish(r, complete);
    }
    finished();
#pragma unroll
    for (int k = 0; k < R; ++k) {
      column[k] = plane.row(k - R);
      column[R + Rows + k] = plane.row(Rows + k);
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) add_row(w, plane, column, r, phase, damping);
  }

 private:
  MINIMOD_HD void add_row(const StencilWeights<Real, R>& w, const Plane& plane, const Vector* column, int r,
                          int phase, const DampingOfPoints<Update, V, Rows>& damping) {
    const Vector u = column[R + r];
#pragma unroll
    for (int m = 1; m < R; ++m) {
      Vector& before = laplacian[r][(phase + R - m) % R];
#pragma unroll
      for (int i = 0; i < V; ++i) before.value[i] = fused(w.z[m - 1], u.value[i], before.value[i]);
    }
    Vector across[2 * beside + 1];
#pragma unroll
    for (int k = 0; k <= 2 * beside; ++k) {
      across[k] = k == beside ? u : plane.first[r * plane.pitch + k - beside];
    }
    Vector begun;
#pragma unroll
    for (int i = 0; i < V; ++i) {
      const StarValues<Real> known = evaluate(w, KnownStar{*this, across, column + R + r, r, phase, i});
      begun.value[i] = known.laplacian;
      if constexpr (Update::damps) {
        decay[r][phase].value[i] = Update::decay_across(known, damping.gradient(i, r));
      }
    }
    laplacian[r][phase] = begun;
    u_above[r] = past[r][phase];
    past[r][phase] = u;
  }
};

}  // namespace minimod
