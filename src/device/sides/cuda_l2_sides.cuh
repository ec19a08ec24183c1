/// The sides of the L2 of a GPU of the machine.
#pragma once

#include <vector>

#include "src/device/backend.hpp"
#include "src/device/cuda_gpu.cuh"

namespace minimod {

/// The GPU is the present one in all calls.
class CudaL2Sides {
 public:
  CudaL2Sides(Backend& backend, const Gpu& gpu, cudaStream_t stream)
      : backend_(backend), gpu_(gpu), stream_(stream) {}

  /// Measured at the first call, in some milliseconds, with 4 GiB of memory for a while.
  /// Unknown where the multiprocessors do not agree, as under a sanitizer, or the sides follow no rule that
  /// is known.
  [[nodiscard]] const L2Sides& found();
  /// With which launches are the slower, the more of its pages do not follow the rule.
  [[nodiscard]] FieldPages pages_of(void* memory, std::size_t bytes) const;

 private:
  void find();
  [[nodiscard]] int shared_bytes() const;
  bool find_multiprocessors(char* page);
  [[nodiscard]] unsigned mask_of_chunks(char* pages) const;
  [[nodiscard]] std::vector<unsigned char> sides_of(char* first, std::size_t apart, std::size_t count,
                                                    int repeats) const;
  [[nodiscard]] std::vector<unsigned char> bits_of_pages(char* first, std::size_t count) const;

  Backend& backend_;
  const Gpu& gpu_;
  cudaStream_t stream_;
  DeviceArray<unsigned> threshold_;
  DeviceArray<unsigned char> side_;
  L2Sides known_;
  bool has_looked_ = false;
};

}  // namespace minimod
