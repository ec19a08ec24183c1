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

/// Lanes of a strip's packs that are its own: all, or those of a mask. Others are neither read nor written.
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
  const int begin_y = plane.begin.y, behind_y = plane.end.y, end = std::min(p.x + Pack::lanes, plane.end.x);
  const bool ends_row = p.x == plane.begin.x || end == plane.end.x;
  const auto weights = packs_of<SameSpacing>(args.weights);
  PackUpdate<Update, Lanes> update(args, p, lanes);
  const float* u = args.u + at.index(p.x, p.y, p.z);
  Pack column[2 * radius + 1];
  unrolled<2 * radius>([&](auto j) __attribute__((always_inline)) {
    column[j] = Pack::load(u + (j - radius) * at.stride_y);
  });
  for (; p.y < end_y; ++p.y, u += at.stride_y) {
    column[2 * radius] = Pack::load(u + radius * at.stride_y);
    const Index3 next{p.x, p.y, next_z};
    fetch_ahead<Update>(args, next, begin_y, behind_y);
    if (ends_row) fetch_row_ends<Update>(args, next, end, begin_y, behind_y);
    update.store(args, p, evaluate(weights, PackStar{u, column + radius, at.stride_z}));
    unrolled<2 * radius>([&](auto j) __attribute__((always_inline)) { column[j] = column[j + 1]; });
  }
}

/// Updates a plane in strips that begin on vectors of the memory, but for the first and the last: these begin
/// and end with the row, and the one behind leaves out what they have in common.
template <class Update, bool SameSpacing>
MINIMOD_INLINE void update_strips(const WaveArgs<float>& args, const Box3& plane, int next_z) {
  constexpr int rows = 8;  // few: the next strip finds their lines in the first-level cache
  constexpr int lanes = Pack::lanes;
  const int begin = plane.begin.x, end = plane.end.x, z = plane.begin.z;
  for (int y = plane.begin.y; y < plane.end.y; y += rows) {
    const int end_y = std::min(y + rows, plane.end.y);
    for (int done = begin; done < end;) {
      const int behind_vector = static_cast<int>((args.layout.origin + done) % lanes);
      const int x = done == begin ? begin : std::max(begin, std::min(done - behind_vector, end - lanes));
      const Index3 p{x, y, z};
      if (x == done && end - x >= lanes) {
        update_strip<Update, SameSpacing>(args, plane, p, end_y, next_z, AllLanes());
      } else {
        const unsigned before_end = (1U << std::min(end - x, lanes)) - 1,
                       before_done = (1U << (done - x)) - 1;
        const SomeLanes own{static_cast<__mmask16>(before_end & ~before_done)};
        update_strip<Update, SameSpacing>(args, plane, p, end_y, next_z, own);
      }
      done = x + lanes;
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
