/// How `kokkos` updates a plane where a processor has 32 vector registers (x86-64-v4): strips of one vector
/// along x that march along y with the nine values of a column in registers, of which a row loads one.
#pragma once

#include <algorithm>

#include "kernels/pack.hpp"
#include "kernels/shapes/row_loops.hpp"

namespace minimod {

/// The star around a pack of points, whose neighbours along y are in registers.
template <class P>
struct PackStar {
  const typename P::Real* centre;
  const P* column;  ///< the pack's own place in it
  std::int64_t stride_z;
  MINIMOD_INLINE P x(int m) const { return m == 0 ? column[0] : P::load(centre + m); }
  MINIMOD_INLINE P y(int m) const { return column[m]; }
  MINIMOD_INLINE P z(int m) const { return m == 0 ? column[0] : P::load(centre + m * stride_z); }
};

/// A formula on the packs of a strip, of which `done` lanes keep their values: a strip before has updated
/// them.
template <class Update, class P>
struct StripUpdate;

template <class Real, int Radius, class P>
struct StripUpdate<InnerUpdate<Real, Radius>, P> {
  MINIMOD_INLINE StripUpdate(const StencilArgs<Real, Radius>&, Index3) {}

  template <bool Overlaps>
  MINIMOD_INLINE void store(const StencilArgs<Real, Radius>& args, const Index3& p, const StarValues<P>& s,
                            int done) {
    const std::int64_t i = args.layout.index(p.x, p.y, p.z);
    const P before = P::load(args.u_before + i);
    P next = InnerUpdate<P, Radius>::next(s, P::load(args.v2dt2 + i), before);
    if constexpr (Overlaps) next = first_of(done, P::load(args.u_next + i), next);
    next.store(args.u_next + i);
  }
};

/// Works out what η makes of the formula only where η changes along y: not at all in the slabs across x.
template <class Real, int Radius, class P>
struct StripUpdate<PmlUpdate<Real, Radius>, P> {
  using Formula = PmlUpdate<P, Radius>;
  P eta_x, gradient_x;
  Real eta_y, eta_z, gradient_z;
  Damping<P> damping;

  MINIMOD_INLINE StripUpdate(const StencilArgs<Real, Radius>& args, Index3 p)
      : eta_x(P::load(args.eta_x + p.x)),
        gradient_x(P(args.gradient_x) * (P::load(args.eta_x + p.x + 1) - P::load(args.eta_x + p.x - 1))),
        eta_z(args.eta_z[p.z]),
        gradient_z(args.gradient_z * (args.eta_z[p.z + 1] - args.eta_z[p.z - 1])) {
    set_damping(args, p.y);
  }
  MINIMOD_INLINE void set_damping(const StencilArgs<Real, Radius>& args, int y) {
    eta_y = args.eta_y[y];
    damping = Damping<P>::of(eta_x + P(eta_y) + P(eta_z), P(args.alpha));
  }

  template <bool Overlaps>
  MINIMOD_INLINE void store(const StencilArgs<Real, Radius>& args, const Index3& p, const StarValues<P>& s,
                            int done) {
    const std::int64_t i = args.layout.index(p.x, p.y, p.z);
    const std::int64_t k = args.phi_layout.index(p.x, p.y, p.z);
    if (args.eta_y[p.y] != eta_y) set_damping(args, p.y);
    const P gradient_y = args.gradient_y * (args.eta_y[p.y + 1] - args.eta_y[p.y - 1]);
    const EtaGradient<P> gradient{gradient_x, gradient_y, P(gradient_z)};
    const PointFields<P> before{P::load(args.u_before + i), P::load(args.v2dt2 + i), P::load(args.phi + k)};
    PointFields<P> fields = before;
    Formula::advance(fields, s.u, s.laplacian,
                     Formula::decay(Formula::decay_across(s, gradient), s.dz, gradient.z), damping);
    if constexpr (Overlaps) {
      fields.u_next = first_of(done, P::load(args.u_next + i), fields.u_next);
      fields.phi = first_of(done, before.phi, fields.phi);
    }
    fields.u_next.store(args.u_next + i);
    fields.phi.store(args.phi + k);
  }
};

/// The weights of all lanes; where the spacing is the same along all axes, as the same registers.
template <class P, bool SameSpacing, class Real, int Radius>
MINIMOD_INLINE StencilWeights<P, Radius> packs_of(const StencilWeights<Real, Radius>& w) {
  StencilWeights<P, Radius> packs;
  packs.centre = P(w.centre);
  unrolled<Radius>([&](auto m) MINIMOD_INLINED {
    packs.x[m] = P(w.x[m]);
    packs.y[m] = SameSpacing ? packs.x[m] : P(w.y[m]);
    packs.z[m] = SameSpacing ? packs.x[m] : P(w.z[m]);
  });
  return packs;
}

/// Updates the `P::lanes` points from p.x on in the rows [p.y, end_y).
template <class Update, class P, bool SameSpacing, bool Overlaps>
MINIMOD_INLINE void update_strip(const typename Update::Args& args, Index3 p, int end_y, int next_z,
                                 int done) {
  constexpr int radius = Update::radius;
  constexpr int line = cache_line / static_cast<int>(sizeof(typename P::Real));
  const Layout& at = args.layout;
  const bool begins_line = (at.origin + p.x) % line < P::lanes;
  const bool ends_row = Overlaps || p.x == args.box.begin.x || p.x + P::lanes == args.box.end.x;
  const auto weights = packs_of<P, SameSpacing>(args.weights);
  StripUpdate<Update, P> update(args, p);
  const auto* u = args.u + at.index(p.x, p.y, p.z);
  P column[2 * radius + 1];
  unrolled<2 * radius>([&](auto j) MINIMOD_INLINED { column[j] = P::load(u + (j - radius) * at.stride_y); });
  for (; p.y < end_y; ++p.y, u += at.stride_y) {
    column[2 * radius] = P::load(u + radius * at.stride_y);
    if (begins_line) fetch_ahead<Update>(args, {p.x, p.y, next_z});
    if (ends_row) fetch_row_ends<Update>(args, {p.x, p.y, next_z}, p.x + P::lanes);
    const auto star = evaluate(weights, PackStar<P>{u, column + radius, at.stride_z});
    update.template store<Overlaps>(args, p, star, done);
    unrolled<2 * radius>([&](auto j) MINIMOD_INLINED { column[j] = column[j + 1]; });
  }
}

/// Updates a plane in strips that begin on vectors of the memory, but for the first and the last: these begin
/// and end with the row, and the strip behind passes over what they have in common.
template <class Update, int Lanes, bool SameSpacing>
MINIMOD_INLINE void update_strips(const typename Update::Args& args, const Box3& plane, int next_z) {
  constexpr int rows = 16;  // of which the next strip finds the lines in the first-level cache
  using P = Pack<typename Update::Real, Lanes>;
  const int begin = plane.begin.x, end = plane.end.x, z = plane.begin.z;
  for (int y = plane.begin.y; y < plane.end.y; y += rows) {
    const int end_y = std::min(y + rows, plane.end.y);
    for (int done = begin; done < end;) {
      const int behind_vector = static_cast<int>((args.layout.origin + done) % Lanes);
      const int x = std::min(done == begin ? begin : done - behind_vector, end - Lanes);
      if (x == done) {
        update_strip<Update, P, SameSpacing, false>(args, {x, y, z}, end_y, next_z, 0);
      } else {
        update_strip<Update, P, SameSpacing, true>(args, {x, y, z}, end_y, next_z, done - x);
      }
      done = x + Lanes;
    }
  }
}

/// By packs of a line, of half a line where rows are shorter, and by loops where they are shorter still.
struct RowPacks {
  template <class Update>
  static MINIMOD_INLINE void update(const typename Update::Args& args, const Box3& plane, int next_z) {
    const auto& w = args.weights;
    const auto same = [&](const auto& axis) { return std::equal(w.x, w.x + Update::radius, axis); };
    if (same(w.y) && same(w.z)) {
      update_with<Update, true>(args, plane, next_z);
    } else {
      update_with<Update, false>(args, plane, next_z);
    }
  }

 private:
  template <class Update, bool SameSpacing>
  static MINIMOD_INLINE void update_with(const typename Update::Args& args, const Box3& plane, int next_z) {
    constexpr int line = cache_line / static_cast<int>(sizeof(typename Update::Real));
    const int points = plane.end.x - plane.begin.x;
    if (points >= line) {
      update_strips<Update, line, SameSpacing>(args, plane, next_z);
    } else if (points >= line / 2) {
      update_strips<Update, line / 2, SameSpacing>(args, plane, next_z);
    } else {
      RowLoops::update<Update>(args, plane, next_z);
    }
  }
};

}  // namespace minimod
