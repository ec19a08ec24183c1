/// How `kokkos` updates a plane row by row, and what it asks the memory for before it gets there.
#pragma once

#include <algorithm>

#include "kernels/host/cpu_level.hpp"
#include "kernels/update.hpp"

namespace minimod {

inline constexpr int cache_line = 64;  ///< bytes

/// Asks for a line, which will be read once, for the cache that the blocks fit into. (Always inlined: GCC
/// takes a call of a function that does nothing else for one without effect.)
template <class Real>
MINIMOD_INLINE void fetch(const Real* line) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  constexpr int to_read = 0, second_level = 2;
  __builtin_prefetch(line, to_read, second_level);
#endif
}

/// Asks for what the update of point p is the first to read among those of the rows [begin_y, end_y); the
/// rows on either side, which it never gets to, are asked for four rows ahead.
template <class Update>
MINIMOD_INLINE void fetch_ahead(const typename Update::Args& args, Index3 p, int begin_y, int end_y) {
  const std::int64_t i = args.layout.index(p.x, p.y, p.z);
  const int radius = args.weights.radius;
  if (p.y < begin_y + radius) fetch(args.u + i - radius * args.layout.stride_y);
  if (p.y >= end_y - radius) fetch(args.u + i + radius * args.layout.stride_y);
  fetch(args.u + i + radius * args.layout.stride_z);
  fetch(args.u_next + i);
  fetch(args.v2dt2 + i);
  if constexpr (Update::damps) fetch(args.phi + args.phi_layout.index(p.x, p.y, p.z));
}

/// Asks for the lines of the halo at the ends of a row [begin, end).
template <class Args>
MINIMOD_INLINE void fetch_row_halo(const Args& args, Index3 begin, int end) {
  const int radius = args.weights.radius;
  const std::int64_t above = args.layout.index(0, begin.y, begin.z + radius);
  fetch(args.u + above + begin.x - radius);
  fetch(args.u + above + end - 1 + radius);
}

/// Asks for the halo's lines at both ends of a row, and for its own last lines, where no segment begins.
template <class Update>
MINIMOD_INLINE void fetch_row_ends(const typename Update::Args& args, Index3 begin, int end, int begin_y,
                                   int end_y) {
  fetch_row_halo(args, begin, end);
  fetch_ahead<Update>(args, {end - 1, begin.y, begin.z}, begin_y, end_y);
}

/// Updates the points of a row from p on to `end`, as many as there are in steps of `Count`: the loop over
/// these has a length known to the compiler, which makes whole vectors of it. Then the rest in smaller steps.
template <class Update, int Count>
MINIMOD_INLINE void update_segments(const typename Update::Args& args, Index3 p, int end, int next_z,
                                    int begin_y, int end_y) {
  const Layout& at = args.layout;
  for (; p.x + Count <= end; p.x += Count) {
    if constexpr (Count >= 4) fetch_ahead<Update>(args, {p.x, p.y, next_z}, begin_y, end_y);
    MINIMOD_INDEPENDENT
    for (int i = 0; i < Count; ++i) {
      using Star = MemoryStar<typename Update::Real>;
      const std::int64_t centre = at.index(p.x, p.y, p.z) + i;
      update_point<Update>(args, {p.x + i, p.y, p.z}, Star{args.u + centre, at.stride_y, at.stride_z});
    }
  }
  if constexpr (Count > 1)
    update_segments<Update, (Count > 4 ? Count / 2 : 1)>(args, p, end, next_z, begin_y, end_y);
}

/// Row by row, in loops that the compiler makes vectors of.
struct RowLoops {
  template <class Update>
  static MINIMOD_INLINE void update(const typename Update::Args& args, const Box3& plane, int next_z) {
    constexpr int line = cache_line / static_cast<int>(sizeof(typename Update::Real));
    const int begin = plane.begin.x, end = plane.end.x, z = plane.begin.z;
    const int begin_y = plane.begin.y, end_y = plane.end.y;
    for (int y = begin_y; y < end_y; ++y) {
      fetch_row_ends<Update>(args, {begin, y, next_z}, end, begin_y, end_y);
      update_segments<Update, line>(args, {begin, y, z}, end, next_z, begin_y, end_y);
    }
  }
};

/// Updates a plane of a block. It has its own copy of the arguments, which no store to a field can alter: the
/// weights stay where they are.
template <class Rows, class Update>
MINIMOD_INLINE void update_plane(Rows, Update, typename Update::Args args, const Box3& plane, int next_z) {
  Rows::template update<Update>(args, plane, next_z);
}

/// Cuts a plane where the formulas of a launch with both change, and calls on_outer(part), on_inner(part):
/// none has a conditional at its points then.
inline void cut_at_inner(const PointArgs& args, const Box3& plane, const auto& on_outer,
                         const auto& on_inner) {
  const auto [x0, y0, z0] = plane.begin;
  const auto [x1, y1, z1] = plane.end;
  const Index3 a = args.inner.begin, b = args.inner.end;
  const bool meets_inner = z0 >= a.z && z0 < b.z;
  const int front = meets_inner ? std::clamp(a.y, y0, y1) : y1;
  const int back = meets_inner ? std::clamp(b.y, y0, y1) : y1;
  const Box3 around[] = {{plane.begin, {x1, front, z1}},
                         {{x0, front, z0}, {a.x, back, z1}},
                         {{b.x, front, z0}, {x1, back, z1}},
                         {{x0, back, z0}, plane.end}};
  for (const Box3& part : around) {
    if (!part.empty()) on_outer(part);
  }
  const Box3 inner{{a.x, front, z0}, {b.x, back, z1}};
  if (args.updates_inner && !inner.empty()) on_inner(inner);
}

}  // namespace minimod
