/// Strips of one vector along x that march along y with the nine values of a column in registers, of which a
/// row loads one. Compiled for x86-64-v4: all that is left out of line here must be of this namespace, since
/// of an inline function that several files have the linker keeps one copy.
#if defined(__x86_64__)

#include <algorithm>
#include <utility>

#include <immintrin.h>

#include "kernels/cores/pack_update.hpp"
#include "kernels/cores/row_loops.hpp"
#include "kernels/cores/row_packs.hpp"

namespace minimod::x86_64_v4 {

/// Calls work(0), …, work(Count - 1) with numbers that are types, so that they may index what is in
/// registers.
template <int Count, class Work>
MINIMOD_INLINE void unrolled(const Work& work) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (work(std::integral_constant<int, i>()), ...);
  }
  (std::make_integer_sequence<int, Count>());
}

/// Sixteen values, to formulas a number like any other.
struct Pack {
  static constexpr int lanes = 16;
  __m512 v;

  Pack() = default;
  MINIMOD_INLINE Pack(__m512 values) : v(values) {}
  MINIMOD_INLINE Pack(float value) : v(_mm512_set1_ps(value)) {}
  static MINIMOD_INLINE Pack load(const float* from) { return _mm512_loadu_ps(from); }

  friend MINIMOD_INLINE Pack operator+(const Pack& a, const Pack& b) { return a.v + b.v; }
  friend MINIMOD_INLINE Pack operator-(const Pack& a, const Pack& b) { return a.v - b.v; }
  friend MINIMOD_INLINE Pack operator*(const Pack& a, const Pack& b) { return a.v * b.v; }
  friend MINIMOD_INLINE Pack operator/(const Pack& a, const Pack& b) { return a.v / b.v; }
  friend MINIMOD_INLINE Pack operator-(const Pack& a) { return -a.v; }
  friend MINIMOD_INLINE Pack fused(const Pack& a, const Pack& b, const Pack& c) {
    return _mm512_fmadd_ps(a.v, b.v, c.v);
  }
};

/// Lanes of a strip's packs that are its own: all, or those of a mask. Of others nothing but u is read, and
/// nothing written.
struct AllLanes {
  using Pack = x86_64_v4::Pack;
  MINIMOD_INLINE Pack load(const float* from) const { return Pack::load(from); }
  MINIMOD_INLINE void store(float* to, const Pack& p) const { _mm512_storeu_ps(to, p.v); }
};

struct SomeLanes {
  using Pack = x86_64_v4::Pack;
  __mmask16 own;
  MINIMOD_INLINE Pack load(const float* from) const { return _mm512_maskz_loadu_ps(own, from); }
  MINIMOD_INLINE void store(float* to, const Pack& p) const { _mm512_mask_storeu_ps(to, own, p.v); }
};

/// The star around a pack of points, whose neighbours along y are in registers.
struct PackStar {
  const float* centre;
  const Pack* column;  ///< the pack's own place in it
  std::int64_t stride_z;
  MINIMOD_INLINE Pack x(int m) const { return m == 0 ? column[0] : Pack::load(centre + m); }
  MINIMOD_INLINE Pack y(int m) const { return column[m]; }
  MINIMOD_INLINE Pack z(int m) const { return m == 0 ? column[0] : Pack::load(centre + m * stride_z); }
};

/// The weights of all lanes; where the spacing is the same along all axes, as the same registers.
template <bool SameSpacing>
MINIMOD_INLINE StencilWeights<Pack> packs_of(const StencilWeights<float>& w) {
  StencilWeights<Pack> packs;
  packs.centre = w.centre;
  unrolled<stencil_radius>([&](auto m) __attribute__((always_inline)) {
    packs.x[m] = w.x[m];
    packs.y[m] = SameSpacing ? packs.x[m] : Pack(w.y[m]);
    packs.z[m] = SameSpacing ? packs.x[m] : Pack(w.z[m]);
  });
  return packs;
}

/// Updates the points of `lanes` from p.x on in the rows [p.y, end_y) of a plane.
template <class Update, bool SameSpacing, class Lanes>
MINIMOD_INLINE void update_strip(const WaveArgs<float>& args, const Box3& plane, Index3 p, int end_y,
                                 int next_z, Lanes lanes) {
  constexpr std::int64_t radius = stencil_radius;
  const Layout& at = args.layout;
  const int begin_y = plane.begin.y, behind_y = plane.end.y;
  const bool begins_row = p.x <= plane.begin.x;
  const auto weights = packs_of<SameSpacing>(args.weights);
  PackUpdate<Update, Lanes> update(args, p, lanes);
  const float* u = args.u + at.index(p.x, p.y, p.z);
  Pack column[2 * radius + 1];
  unrolled<2 * radius>([&](auto j) __attribute__((always_inline)) {
    column[j] = Pack::load(u + (j - radius) * at.stride_y);
  });
  for (; p.y < end_y; ++p.y, u += at.stride_y) {
    column[2 * radius] = Pack::load(u + radius * at.stride_y);
    fetch_ahead<Update>(args, {p.x, p.y, next_z}, begin_y, behind_y);
    if (begins_row) fetch_row_halo(args, {plane.begin.x, p.y, next_z}, plane.end.x);
    update.store(args, p, evaluate(weights, PackStar{u, column + radius, at.stride_z}));
    unrolled<2 * radius>([&](auto j) __attribute__((always_inline)) { column[j] = column[j + 1]; });
  }
}

/// Updates a plane in strips that are whole vectors of the memory, each a line: no load along y or z crosses
/// one. At the ends of a row they have lanes that are not its own, at which u is read for nothing.
template <class Update, bool SameSpacing>
MINIMOD_INLINE void update_strips(const WaveArgs<float>& args, const Box3& plane, int next_z) {
  // Few: the next strip finds their lines in the first-level cache. More where a strip's beginning is dear.
  constexpr int rows = Update::damps ? 16 : 8;
  constexpr int lanes = Pack::lanes;
  const int begin = plane.begin.x, end = plane.end.x, z = plane.begin.z;
  const int first = begin - static_cast<int>((args.layout.origin + begin) % lanes);
  for (int y = plane.begin.y; y < plane.end.y; y += rows) {
    const int end_y = std::min(y + rows, plane.end.y);
    for (int x = first; x < end; x += lanes) {
      const Index3 p{x, y, z};
      if (x >= begin && end - x >= lanes) {
        update_strip<Update, SameSpacing>(args, plane, p, end_y, next_z, AllLanes());
      } else {
        const unsigned before_end = (1U << std::min(end - x, lanes)) - 1,
                       before_begin = (1U << std::max(begin - x, 0)) - 1;
        const SomeLanes own{static_cast<__mmask16>(before_end & ~before_begin)};
        update_strip<Update, SameSpacing>(args, plane, p, end_y, next_z, own);
      }
    }
  }
}

struct RowPacks {
  template <class Update>
  static MINIMOD_INLINE void update(const WaveArgs<float>& args, const Box3& plane, int next_z) {
    const auto& w = args.weights;
    const auto same = [&](const auto& axis) { return std::equal(w.x, w.x + stencil_radius, axis); };
    if (same(w.y) && same(w.z)) {
      update_strips<Update, true>(args, plane, next_z);
    } else {
      update_strips<Update, false>(args, plane, next_z);
    }
  }
};

template <class Update>
void update_plane(const WaveArgs<float>& args, const Box3& plane, int next_z) {
  minimod::update_plane(RowPacks{}, Update{}, args, plane, next_z);
}

template void update_plane<InnerUpdate<float>>(const WaveArgs<float>&, const Box3&, int);
template void update_plane<PmlUpdate<float>>(const WaveArgs<float>&, const Box3&, int);

}  // namespace minimod::x86_64_v4

#endif
