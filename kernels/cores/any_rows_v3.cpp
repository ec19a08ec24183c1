/// Rows in packs of four vectors, whose sums stay in registers while the star is walked through: a loop over
/// its radius costs them nothing, where one over points would have it inside and become no vectors.
// GCC would write loops over any radius out, up to the greatest.
#define MINIMOD_UNROLL _Pragma("GCC unroll 1")

#include "kernels/cores/any_rows.hpp"
#include "kernels/cores/pack_update.hpp"
#include "kernels/cores/row_loops.hpp"
#include "kernels/pack.hpp"

namespace minimod::x86_64_v3 {

namespace {

template <class Pack>
struct PackStar {
  const typename Pack::Real* centre;
  std::int64_t stride_y, stride_z;
  MINIMOD_INLINE Pack x(int m) const { return Pack::load(centre + m); }
  MINIMOD_INLINE Pack y(int m) const { return Pack::load(centre + m * stride_y); }
  MINIMOD_INLINE Pack z(int m) const { return Pack::load(centre + m * stride_z); }
};

/// A type of this file, since what is called with it may be left out of line.
template <class Real>
struct PointStar : MemoryStar<Real> {};

template <class Star, class Args>
MINIMOD_INLINE Star star_at(const Args& args, const Index3& p) {
  const Layout& at = args.layout;
  return {args.u + at.index(p.x, p.y, p.z), at.stride_y, at.stride_z};
}

template <class Update, class Lanes>
MINIMOD_INLINE void update_pack(const typename Update::Args& args, const Index3& p, Lanes lanes) {
  const auto star = star_at<PackStar<typename Lanes::Pack>>(args, p);
  PackUpdate<Update, Lanes>(args, p, lanes).store(args, p, evaluate(args.weights, star));
}

/// Updates the points of a row from p on to `end`, as many as there are in packs of `Count` vectors, then the
/// rest in smaller ones.
template <class Update, int Count>
MINIMOD_INLINE void update_packs(const typename Update::Args& args, Index3& p, int end, int next_z,
                                 int begin_y, int end_y) {
  using Packs = Pack<typename Update::Real, Count>;
  constexpr int line = cache_line / static_cast<int>(sizeof(typename Update::Real));
  for (; p.x + Packs::lanes <= end; p.x += Packs::lanes) {
    for (int i = 0; i < Packs::lanes; i += line) {
      fetch_ahead<Update>(args, {p.x + i, p.y, next_z}, begin_y, end_y);
    }
    update_pack<Update>(args, p, AllLanes<Packs>());
  }
  if constexpr (Count > 1) update_packs<Update, Count / 2>(args, p, end, next_z, begin_y, end_y);
}

struct AnyRows {
  template <class Update>
  static MINIMOD_INLINE void update(const typename Update::Args& args, const Box3& plane, int next_z) {
    using Last = LastLanes<typename Update::Real>;
    constexpr int lanes = Last::Pack::lanes;
    const int end = plane.end.x, begin_y = plane.begin.y, end_y = plane.end.y;
    for (Index3 p = plane.begin; p.y < end_y; ++p.y) {
      p.x = plane.begin.x;
      fetch_row_ends<Update>(args, {p.x, p.y, next_z}, end, begin_y, end_y);
      update_packs<Update, Update::damps ? 2 : 4>(args, p, end, next_z, begin_y, end_y);
      if (p.x < end && end - plane.begin.x >= lanes) {
        const Index3 back{end - lanes, p.y, p.z};
        update_pack<Update>(args, back, Last(p.x - back.x));
      } else {
        for (; p.x < end; ++p.x)
          update_point<Update>(args, p, star_at<PointStar<typename Update::Real>>(args, p));
      }
    }
  }
};

}  // namespace

template <class Update>
void update_plane(const typename Update::Args& args, const Box3& plane, int next_z) {
  minimod::update_plane(AnyRows{}, Update{}, args, plane, next_z);
}

template void update_plane<InnerUpdate<float, any_radius>>(const WaveArgs<float, any_radius>&, const Box3&,
                                                           int);
template void update_plane<PmlUpdate<float, any_radius>>(const WaveArgs<float, any_radius>&, const Box3&,
                                                         int);
template void update_plane<InnerUpdate<double, any_radius>>(const WaveArgs<double, any_radius>&, const Box3&,
                                                            int);
template void update_plane<PmlUpdate<double, any_radius>>(const WaveArgs<double, any_radius>&, const Box3&,
                                                          int);

}  // namespace minimod::x86_64_v3
