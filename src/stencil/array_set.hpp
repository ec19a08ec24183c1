/// The arrays of a specification in memory, on the host or on a GPU.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/equations/arrays.hpp"
#include "src/device/backend.hpp"
#include "src/stencil/facts.hpp"

namespace minimod::stencil {

/// Where the arrays of a grid of `n` points have their values: rows begin on 128 B, with the halo around.
[[nodiscard]] Layout layout_of_arrays(const Facts& facts, Extent3 n);

/// Bytes of all arrays of such a grid.
[[nodiscard]] double bytes_of_arrays(const Specification& specification, Extent3 n);

/// All planes of a grid of `n` points.
[[nodiscard]] inline Box3 whole_grid(Extent3 n) {
  return {{0, 0, 0}, {n.x, n.y, n.z}};
}

/// All arrays on planes of a grid, with the values of start_value in them and their halo and NaN beyond.
/// Points are counted from the first of these planes.
class ArraySet {
 public:
  /// Planes `part` of a grid of `n` points. `gpu`: in whose memory they are; null: the host's. Error 71 where
  /// there is not enough.
  ArraySet(const Specification& specification, Extent3 n, const Box3& part, Backend* gpu);
  ArraySet(const Specification& specification, Extent3 n, Backend* gpu)
      : ArraySet(specification, n, whole_grid(n), gpu) {}

  /// Arguments of a launch over all points.
  [[nodiscard]] ArrayArgs args() const;
  /// Where the array has a plane, which may be of the halo: whole, so that planes follow each other.
  [[nodiscard]] void* plane(int array, int z) const;
  [[nodiscard]] std::size_t plane_bytes(int array) const;
  /// After a step: arrays take over others' values as the specification says.
  void hand_on();
  /// All that the array has in memory.
  [[nodiscard]] std::vector<std::byte> bytes_of(int array) const;
  /// Value of an array at a point, from its bytes_of.
  [[nodiscard]] double value(const std::vector<std::byte>& bytes, int array, Index3 point) const;
  [[nodiscard]] const Specification& specification() const { return specification_; }
  [[nodiscard]] Extent3 extent() const { return part_.extent(); }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const Reach& reach() const { return reach_; }

 private:
  [[nodiscard]] std::size_t size_of(int array) const;
  /// `piece`: room for what goes to a GPU at once, kept between arrays.
  void fill(int array, std::vector<std::byte>& piece);

  const Specification& specification_;
  Extent3 n_;
  Box3 part_;
  Reach reach_;
  Layout layout_;
  Backend* gpu_;
  std::vector<std::vector<std::byte>> on_host_;
  std::vector<DeviceArray<std::byte>> on_gpu_;
  std::vector<void*> where_;  ///< each array is now
};

}  // namespace minimod::stencil
