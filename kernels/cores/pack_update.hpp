/// The formulas on packs of points that follow each other along x. `Lanes` says which of a pack's are to be
/// read and written: `Pack`, `load(from)`, `store(to, pack)`.
#pragma once

#include "kernels/host/cpu_level.hpp"
#include "kernels/update.hpp"

namespace minimod {

/// A formula at the points from p.x on, in rows p.y that follow each other.
template <class Update, class Lanes>
struct PackUpdate;

template <class Real, int Radius, class Lanes>
struct PackUpdate<InnerUpdate<Real, Radius>, Lanes> {
  using Pack = typename Lanes::Pack;
  using Args = WaveArgs<Real, Radius>;
  Lanes lanes;
  MINIMOD_INLINE PackUpdate(const Args&, const Index3&, Lanes own) : lanes(own) {}

  MINIMOD_INLINE void store(const Args& args, const Index3& p, const StarValues<Pack>& s) {
    const std::int64_t i = args.layout.index(p.x, p.y, p.z);
    const Pack before = lanes.load(args.u_before + i), v2dt2 = lanes.load(args.v2dt2 + i);
    lanes.store(args.u_next + i, InnerUpdate<Pack>::next(s, v2dt2, before));
  }
};

/// Works out what η makes of the formula only where η changes along y: not at all in the slabs across x.
template <class Real, int Radius, class Lanes>
struct PackUpdate<PmlUpdate<Real, Radius>, Lanes> {
  using Pack = typename Lanes::Pack;
  using Args = WaveArgs<Real, Radius>;
  using Formula = PmlUpdate<Pack>;
  Lanes lanes;
  Pack eta_x, gradient_x;
  Real eta_y, eta_z, gradient_z;
  Damping<Pack> damping;

  MINIMOD_INLINE PackUpdate(const Args& args, const Index3& p, Lanes own)
      : lanes(own),
        eta_x(lanes.load(args.eta_x + p.x)),
        gradient_x(Pack(args.gradient_x) *
                   (lanes.load(args.eta_x + p.x + 1) - lanes.load(args.eta_x + p.x - 1))),
        eta_z(args.eta_z[p.z]),
        gradient_z(args.gradient_z * (args.eta_z[p.z + 1] - args.eta_z[p.z - 1])) {
    set_damping(args, p.y);
  }
  MINIMOD_INLINE void set_damping(const Args& args, int y) {
    eta_y = args.eta_y[y];
    damping = Damping<Pack>::of(eta_x + Pack(eta_y) + Pack(eta_z), Pack(args.alpha));
  }

  MINIMOD_INLINE void store(const Args& args, const Index3& p, const StarValues<Pack>& s) {
    const std::int64_t i = args.layout.index(p.x, p.y, p.z);
    const std::int64_t k = args.phi_layout.index(p.x, p.y, p.z);
    if (args.eta_y[p.y] != eta_y) set_damping(args, p.y);
    const Real gradient_y = args.gradient_y * (args.eta_y[p.y + 1] - args.eta_y[p.y - 1]);
    const EtaGradient<Pack> gradient{gradient_x, gradient_y, gradient_z};
    PointFields<Pack> fields{lanes.load(args.u_before + i), lanes.load(args.v2dt2 + i),
                             lanes.load(args.phi + k)};
    Formula::advance(fields, s.u, s.laplacian,
                     Formula::decay(Formula::decay_across(s, gradient), s.dz, gradient.z), damping);
    lanes.store(args.u_next + i, fields.u_next);
    lanes.store(args.phi + k, fields.phi);
  }
};

}  // namespace minimod
