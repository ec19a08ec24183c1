/// The sides of a GPU's L2, by which fields may lie in chunks (kernels/layouts/chunks.hpp).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/grid.hpp"

namespace minimod {

/// Knowledge that a device has of them, or none.
struct L2Sides {
  unsigned hash = 0, pages = 0;                      ///< as in ChunkLayout
  const unsigned char* of_multiprocessor = nullptr;  ///< side of each, in the device's memory

  [[nodiscard]] bool are_known() const { return of_multiprocessor != nullptr; }
  /// Without columns where they are not known.
  [[nodiscard]] ChunkLayout layout_of(Extent3 n) const {
    return are_known() ? ChunkLayout(n, hash, pages) : ChunkLayout();
  }
};

/// A grid that gains by the sides of any L2 that has some.
inline constexpr Extent3 cube_by_sides{1024, 1024, 1024};

/// Sides as they follow from how long a chain of atomics takes each multiprocessor at some places, near or
/// far from it: `clocks` has the places of the first one, then those of the next.
struct SidesByLatency {
  std::vector<unsigned> threshold;     ///< clocks above which a place is far from a multiprocessor
  std::vector<unsigned char> of_each;  ///< side of each; 0 is that of the first
  double agreement = 0;                ///< least share of the places on which one agrees with its side
};
[[nodiscard]] SidesByLatency sides_by_latency(std::span<const unsigned> clocks, std::size_t places);

/// The rule that the bits of pages that follow each other obey: the bits of a page's number in 1 GiB whose
/// parity is that of the page, or, the same in all these pages, its opposite. Nothing where there is none
/// that all but a few of the pages obey.
[[nodiscard]] std::optional<unsigned> find_page_bits(std::span<const unsigned char> bits);
/// Where such pages lie by that rule, and how many have another bit than it says: all, where there are too
/// many pages.
struct FoundPages {
  FieldPages pages;
  std::size_t wrong = 0;
};
[[nodiscard]] FoundPages find_pages(std::span<const unsigned char> bits, unsigned page_bits);

}  // namespace minimod
