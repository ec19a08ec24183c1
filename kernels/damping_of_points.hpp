/// Damping of the PML that a shape marching along z keeps for its points, in registers.
#pragma once

#include "kernels/update.hpp"

namespace minimod {

/// η around the points of a thread: W along x in each of H rows, marching along z.
template <class Update, int W, int H>
struct DampingOfPoints {
  using Real = typename Update::Real;
  Real eta_x[W], eta_y[H], gradient_x[W], gradient_y[H];
  Real eta_z, gradient_z;
  bool same_across = true;  ///< η is the same for all the points of a plane: most points of the z slabs
  Damping<Real> damping[H][W];

  /// From point p on; points outside the box get the η of the nearest in it.
  MINIMOD_HD DampingOfPoints(const typename Update::Args& args, Index3 p) : eta_z(Real(-1)) {  // no plane
#pragma unroll
    for (int i = 0; i < W; ++i) {
      const int x = nearest_in(p.x + i, args.box.begin.x, args.box.end.x);
      eta_x[i] = args.eta_x[x];
      gradient_x[i] = args.gradient_x * (args.eta_x[x + 1] - args.eta_x[x - 1]);
      if (eta_x[i] != eta_x[0]) same_across = false;
    }
#pragma unroll
    for (int j = 0; j < H; ++j) {
      const int y = nearest_in(p.y + j, args.box.begin.y, args.box.end.y);
      eta_y[j] = args.eta_y[y];
      gradient_y[j] = args.gradient_y * (args.eta_y[y + 1] - args.eta_y[y - 1]);
      if (eta_y[j] != eta_y[0]) same_across = false;
    }
  }

  MINIMOD_HD void set_plane(const typename Update::Args& args, int z) {
    gradient_z = args.gradient_z * (args.eta_z[z + 1] - args.eta_z[z - 1]);
    if (args.eta_z[z] == eta_z) return;  // the same for all points of the plane
    eta_z = args.eta_z[z];
    if (same_across) {
      set_all(
          [first = Damping<Real>::of(eta_x[0] + eta_y[0] + eta_z, args.alpha)](int, int) { return first; });
    } else {
      set_all([&](int i, int j) { return Damping<Real>::of(eta_x[i] + eta_y[j] + eta_z, args.alpha); });
    }
  }
  MINIMOD_HD EtaGradient<Real> gradient(int i, int j) const {
    return {gradient_x[i], gradient_y[j], gradient_z};
  }

 private:
  template <class Value>
  MINIMOD_HD void set_all(const Value& value) {
#pragma unroll
    for (int j = 0; j < H; ++j) {
#pragma unroll
      for (int i = 0; i < W; ++i) damping[j][i] = value(i, j);
    }
  }
};

/// In the inner update there is none.
template <class Update, int W, int H>
requires(!Update::damps) struct DampingOfPoints<Update, W, H> {
  using Real = typename Update::Real;
  Damping<Real> damping[H][W] = {};
  MINIMOD_HD DampingOfPoints(const typename Update::Args&, Index3) {}
  MINIMOD_HD void set_plane(const typename Update::Args&, int) {}
  MINIMOD_HD EtaGradient<Real> gradient(int, int) const { return {}; }
};

}  // namespace minimod
