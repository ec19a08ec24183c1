/// A field in chunks of 4 KiB, which is what Hopper gives to one side of its L2: for launches whose blocks
/// work on what has its home on the side of their multiprocessor.
///
/// A chunk has 64x16 points of a plane. Of each two of them that lie in 8 KiB one belongs to the left half of
/// the domain and one to its right half, in an order that puts each half on one side: the parity of bits of
/// the pair's number and of that of its page in memory. Any order is right; with a wrong one launches are
/// slower. In planes that slabs of a domain share nothing changes sides: there they lie alike.
#pragma once

#include "kernels/layouts/rows.hpp"

namespace minimod {

/// Where the pages of a field lie, as far as it tells their sides: within 1 GiB of the device's memory by a
/// rule (ChunkLayout::pages), of which each has a bit of its own.
struct FieldPages {
  static constexpr int pages_of_block = 512;
  unsigned first = 0;   ///< number of the first page in its 1 GiB
  unsigned blocks = 0;  ///< bits of these, from that of the first page on
};

/// A rule by which chunks of a field change sides with the other one of their pair.
struct ChangesOfSides {
  unsigned first = 0, count = ~0U;  ///< vectors of the field that may; others stand where they are numbered
  unsigned bits = 0;                ///< bits of a vector's number in its 1 GiB, whose parity says it

  friend bool operator==(const ChangesOfSides&, const ChangesOfSides&) = default;
  /// Distance of a vector's places on the two sides; 0 where none of its plane may change.
  [[nodiscard]] inline MINIMOD_HD unsigned distance(unsigned vector) const;
  /// Where a vector stands in a field whose first one has the number `begin` in its 1 GiB: its chunk changes
  /// sides by the parity of bits of its own number there, and by a bit of `blocks` each GiB.
  [[nodiscard]] inline MINIMOD_HD unsigned of_vector(unsigned vector, unsigned begin, unsigned blocks,
                                                     unsigned distance) const;
};

/// How the fields of a grid lie in chunks; without columns none does.
struct ChunkLayout {
  static constexpr int width = 64, height = 16;
  static constexpr int vectors_of_row = width / vector_alignment, vectors = vectors_of_row * height;
  static constexpr unsigned vectors_of_page = (2U << 20U) / 16;
  static constexpr unsigned vectors_of_block = FieldPages::pages_of_block * vectors_of_page;
  static constexpr int R = stencil_radius;

  int columns = 0, rows = 0, left = 0;  ///< chunks of a plane along x and y; columns of the left half
  int planes = 0;                       ///< planes of the domain and of its halo along z
  unsigned plane = 0;                   ///< vectors of a plane
  ChangesOfSides changes;

  ChunkLayout() = default;
  /// \param pair_bits Bits of a pair's number whose parity is the side of its first chunk
  /// \param page_bits Bits of a page's number in 1 GiB whose parity changes the sides of its chunks
  ChunkLayout(Extent3 n, unsigned pair_bits, unsigned page_bits) {
    const auto in = [](int points, int of) { return (points + of - 1) / of; };
    columns = in(n.x, width);
    rows = in(n.y, height);
    left = in(columns, 2);
    planes = n.z + 2 * R;
    plane = static_cast<unsigned>(left * rows * 2 * vectors);
    changes.bits = pair_bits * 2 * vectors | page_bits * vectors_of_page;
  }
  /// Lets chunks change sides in planes [begin, end) alone: the others are shared.
  void change_within(int begin, int end) {
    changes.first = static_cast<unsigned>(begin + R) * plane;
    changes.count = end > begin ? static_cast<unsigned>(end - begin) * plane : 0;
  }
  friend bool operator==(const ChunkLayout&, const ChunkLayout&) = default;

  /// Values of a storage: behind the planes is one of zeros, which stands for all that is beyond the grid.
  [[nodiscard]] std::int64_t size() const { return plane_values() * (planes + 1); }
  [[nodiscard]] std::int64_t plane_values() const { return std::int64_t{plane} * vector_alignment; }
  /// The first vector of a chunk in its plane, as long as nothing changes sides.
  [[nodiscard]] MINIMOD_HD unsigned chunk(int column, int row) const {
    const unsigned half = column >= left ? 1 : 0;
    return ((static_cast<unsigned>(row * left + column) - half * left) * 2 + half) * vectors;
  }
  /// The first vector of the plane of zeros.
  [[nodiscard]] MINIMOD_HD unsigned zeros() const { return static_cast<unsigned>(planes) * plane; }
  /// Where plane z begins, in vectors; that of zeros, where there is none.
  [[nodiscard]] MINIMOD_HD unsigned plane_of(int z) const {
    const auto number = static_cast<unsigned>(z + R);
    return number < static_cast<unsigned>(planes) ? number * plane : zeros();
  }
  /// The vector with a point, whose x is a multiple of four, as long as nothing changes sides (mod 2³²).
  [[nodiscard]] MINIMOD_HD unsigned vector_at(int x, int y, int z) const {
    return static_cast<unsigned>(z + R) * plane + chunk(x / width, y / height) +
           static_cast<unsigned>(y % height * vectors_of_row + x % width / vector_alignment);
  }
  [[nodiscard]] MINIMOD_HD unsigned in_field(unsigned vector, FieldPages at) const {
    return changes.of_vector(vector, at.first * vectors_of_page, at.blocks, changes.distance(vector));
  }
  /// The lowest bit is it.
  [[nodiscard]] static MINIMOD_HD unsigned parity(unsigned bits) {
#ifdef __CUDA_ARCH__
    return __popc(bits);
#endif
    bits ^= bits >> 16;
    bits ^= bits >> 8;
    bits ^= bits >> 4;
    bits ^= bits >> 2;
    return bits ^ bits >> 1;
  }
  /// Index of a point of the grid or of its halo along z, the same in all fields.
  [[nodiscard]] MINIMOD_HD std::int64_t index(int x, int y, int z) const {
    return std::int64_t{vector_at(x, y, z)} * vector_alignment + x % vector_alignment;
  }
};

MINIMOD_HD unsigned ChangesOfSides::distance(unsigned vector) const {
  return vector - first < count ? ChunkLayout::vectors : 0;
}

MINIMOD_HD unsigned ChangesOfSides::of_vector(unsigned vector, unsigned begin, unsigned blocks,
                                              unsigned distance) const {
  const unsigned number = vector + begin;
  const unsigned parity =
      ChunkLayout::parity(number & bits) ^ blocks >> (number / ChunkLayout::vectors_of_block);
  return vector ^ (parity * ChunkLayout::vectors & distance);
}

/// Where the points of one field in chunks stand.
struct ChunksOfField {
  ChunkLayout at;
  FieldPages pages;

  [[nodiscard]] MINIMOD_HD std::int64_t index(int x, int y, int z) const { return placed(at.index(x, y, z)); }
  [[nodiscard]] MINIMOD_HD std::int64_t placed(std::int64_t index) const {
    const auto vector = static_cast<unsigned>(index / vector_alignment);
    return std::int64_t{at.in_field(vector, pages)} * vector_alignment + index % vector_alignment;
  }
};

/// The pages of a launch's fields.
struct LaunchPages {
  FieldPages u, u_before, v2dt2, u_next, u_second, phi, phi_next;
};

}  // namespace minimod
