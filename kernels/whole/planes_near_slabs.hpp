/// Planes of a march along z near the z slabs of the PML, or near the march's own ends. A table has what is
/// known of each.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// The parts of a march. At arrivals before `free` and from `last` on it needs the general form of an update,
/// between them that of planes free of z slabs. free == last: there are none of these.
struct MarchParts {
  int free = 0, last = 0;
  /// From a plane to its place in the table, before `free` and from `last` on.
  int first_offset = 0, last_offset = 0;
  bool is_possible = false;  ///< false: the table lacks a plane
};

/// The planes of a march over [from, to), of which [own_from, own_to) are its own and the others, at most R
/// at each end, its neighbours' too. Arrival i brings plane from + i - R, and completes plane from + i - 2R.
struct March {
  int from = 0, own_from = 0, own_to = 0;
  int arrivals = 0;
};

/// The table has the planes at and above the upper slab, then those at and below the lower one, each with
/// free planes, at which nothing damps; all planes, if that is not more.
template <int R>
struct PlanesNearSlabs {
  static constexpr int free_planes = 32;
  /// Planes behind the upper slab that have come when none of those that follow adds to φ along z.
  static constexpr int behind = R > 1 ? R : 2;

  int begin = 0;                       ///< first plane of the box along z
  int inner_begin = 0, inner_end = 0;  ///< free of slabs
  int places = 0;                      ///< places of the table

  /// The plane that a place of the table is of, beyond the box perhaps.
  [[nodiscard]] MINIMOD_HD int plane_at(int place) const {
    return place - (place < inner_begin + free_planes + upper_offset() ? upper_offset() : lower_offset());
  }

  [[nodiscard]] MINIMOD_HD MarchParts parts(const March& march) const {
    MarchParts parts;
    const int done = march.own_from - march.from + 2 * R, free = inner_begin - march.from + behind + R;
    const int ends = march.own_to - march.from + R, near = inner_end - march.from + R;
    parts.free = free > done ? free : done;
    parts.last = near < ends ? near : ends;
    if (parts.free >= parts.last) parts.free = parts.last = march.arrivals;
    parts.is_possible = find(march, 0, parts.free, parts.first_offset) &&
                        find(march, parts.last, march.arrivals, parts.last_offset);
    return parts;
  }

 private:
  [[nodiscard]] MINIMOD_HD int upper_offset() const { return 2 * R - begin; }
  [[nodiscard]] MINIMOD_HD int lower_offset() const {
    const int left_out = inner_end - inner_begin - 2 * free_planes;
    return upper_offset() - (left_out > 0 ? left_out : 0);
  }
  /// The offset of the planes that arrive or are completed at [from, to).
  [[nodiscard]] MINIMOD_HD bool find(const March& march, int from, int to, int& offset) const {
    if (from == to) return true;
    const int first = march.from + from - 2 * R, last = march.from + to - 1 - R;
    if (upper_offset() == lower_offset() || first <= inner_begin) {
      offset = upper_offset();
      return last + offset < places && (upper_offset() == lower_offset() || last < inner_begin + free_planes);
    }
    if (last >= inner_end - 1) {
      offset = lower_offset();
      return last + offset < places && first >= inner_end - free_planes;
    }
    offset = inner_begin + 1 + upper_offset() - first;  // any free plane will do: all are alike
    return last + offset < inner_begin + free_planes + upper_offset() && last + offset < places;
  }
};

}  // namespace minimod
