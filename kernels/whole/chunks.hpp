/// A field in chunks of 4 KiB, which is what Hopper gives to one side of its L2: for launches whose blocks
/// work on what has its home on the side of their multiprocessor.
///
/// A chunk has 64x16 points of a plane. Of each two of them that lie in 8 KiB one belongs to the left half of
/// the domain and one to its right half, in an order that puts each half on one side: the parity of bits of
/// the pair's number and of that of its page in memory. Any order is right; with a wrong one launches are
/// slower.
#pragma once

#include "kernels/grid.hpp"
#include "kernels/vector4.hpp"

namespace minimod {

struct ChunkLayout {
  static constexpr int width = 64, height = 16;
  static constexpr int vectors_of_row = width / vector_alignment, vectors = vectors_of_row * height;
  static constexpr int pairs_a_page_pair = 512;
  static constexpr unsigned vectors_of_page = (2U << 20U) / 16;
  static constexpr int R = stencil_radius;

  int columns = 0, rows = 0, left = 0;  ///< chunks of a plane along x and y; columns of the left half
  int planes = 0;                       ///< those of the domain and its halo along z
  unsigned plane = 0;                   ///< vectors of a plane
  unsigned hash = 0;  ///< bits of a pair's number whose parity is the side of its first chunk

  unsigned pages = 0;  ///< bits of a page's number whose parity changes the sides of its chunks

  ChunkLayout() = default;
  ChunkLayout(Extent3 n, unsigned bits, unsigned page_bits = 0) : hash(bits), pages(page_bits) {
    const auto in = [](int points, int of) { return (points + of - 1) / of; };
    columns = in(n.x, width);
    rows = in(n.y, height);
    left = in(columns, 2);
    planes = n.z + 2 * R;
    plane = static_cast<unsigned>(in(left * rows, pairs_a_page_pair) * pairs_a_page_pair * 2 * vectors);
  }

  /// Values of a storage: behind the planes is one of zeros, which stands for all that is beyond the grid.
  [[nodiscard]] std::int64_t size() const { return std::int64_t{plane} * vector_alignment * (planes + 1); }
  /// The first vector of a chunk in its plane.
  [[nodiscard]] MINIMOD_HD unsigned chunk(int column, int row) const {
    const unsigned half = column >= left ? 1 : 0;
    const unsigned pair = static_cast<unsigned>(row * left + column) - half * left;
    return (pair * 2 + ((parity(pair & hash) ^ half) & 1)) * vectors;
  }
  /// The first vector of the plane of zeros.
  [[nodiscard]] MINIMOD_HD unsigned zeros() const { return static_cast<unsigned>(planes) * plane; }
  /// Where plane z begins, in vectors; that of zeros, where there is none.
  [[nodiscard]] MINIMOD_HD unsigned plane_of(int z) const {
    const auto number = static_cast<unsigned>(z + R);
    return number < static_cast<unsigned>(planes) ? number * plane : zeros();
  }
  /// The vector with a point, whose x is a multiple of four, counted from that at plane 0 (mod 2³²).
  [[nodiscard]] MINIMOD_HD unsigned vector_at(int x, int y, int z) const {
    return static_cast<unsigned>(z + R) * plane + chunk(x / width, y / height) +
           static_cast<unsigned>(y % height * vectors_of_row + x % width / vector_alignment);
  }
  /// Where a vector stands in a field whose first page has that number.
  [[nodiscard]] MINIMOD_HD unsigned in_field(unsigned vector, unsigned first_page) const {
    return vector ^ (parity((vector / vectors_of_page + first_page) & pages) & 1) * vectors;
  }
  /// Where a point of the grid or of its halo along z stands there.
  [[nodiscard]] MINIMOD_HD std::int64_t place_of(int x, int y, int z, unsigned first_page = 0) const {
    return std::int64_t{in_field(vector_at(x, y, z), first_page)} * vector_alignment + x % vector_alignment;
  }

 private:
  static MINIMOD_HD unsigned parity(unsigned bits) {
#ifdef __CUDA_ARCH__
    return __popc(bits);
#endif
    bits ^= bits >> 16;
    bits ^= bits >> 8;
    bits ^= bits >> 4;
    bits ^= bits >> 2;
    return bits ^ bits >> 1;
  }
};

}  // namespace minimod
