/// Lists of shapes.
#pragma once

#include <cstddef>
#include <utility>

namespace minimod {

/// A family with its tile (for in_plane_*: threads along x and y, points of a thread along x and y, values of
/// a vector load); `Body<Update>` is the shape.
template <template <class, int...> class Family, int... Tile>
struct Tiled {
  template <class Update>
  using Body = Family<Update, Tile...>;
};

template <class... Shapes>
struct TypeList {
  static constexpr std::size_t size = sizeof...(Shapes);
};

/// Calls visit.operator()<Entry, index>() for each entry.
template <class Visit, class... Entries>
void for_each_entry(TypeList<Entries...>, const Visit& visit) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    (visit.template operator()<Entries, Index>(), ...);
  }
  (std::index_sequence_for<Entries...>{});
}

}  // namespace minimod
