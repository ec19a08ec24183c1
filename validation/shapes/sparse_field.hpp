/// Fields whose planes lie far apart in memory, without the memory: pages that nobody touches cost nothing.
#pragma once

#include <cstdint>

#include <catch2/catch_test_macros.hpp>
#include <sys/mman.h>

#include "kernels/grid.hpp"

namespace minimod {

class SparseField {
 public:
  explicit SparseField(std::int64_t size) : bytes_(size * sizeof(float)) {
    void* memory =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    data_ = static_cast<float*>(memory);
  }
  SparseField(const SparseField&) = delete;
  SparseField& operator=(const SparseField&) = delete;
  ~SparseField() { munmap(data_, bytes_); }
  [[nodiscard]] float* data() const { return data_; }

 private:
  std::size_t bytes_;
  float* data_ = nullptr;
};

/// The layout with its planes so far apart.
inline Layout spread_planes(Layout layout, Extent3 n, std::int64_t stride_z) {
  layout.origin += stencil_radius * (stride_z - layout.stride_z);
  layout.stride_z = stride_z;
  layout.size = stride_z * (n.z + 2 * stencil_radius);
  return layout;
}

/// Calls visit(dense index, spread index) for every point and its halo.
inline void for_storage(Extent3 n, const Layout& dense, const Layout& spread, auto visit) {
  constexpr int r = stencil_radius;
  for (int z = -r; z < n.z + r; ++z) {
    for (int y = -r; y < n.y + r; ++y) {
      for (int x = -r; x < n.x + r; ++x) visit(dense.index(x, y, z), spread.index(x, y, z));
    }
  }
}

}  // namespace minimod
