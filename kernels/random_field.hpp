/// Values for benchmarks and checks, the same on every device.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// A value in [-1, 1) that depends on the point and the seed alone (the finalizer of MurmurHash3 on their
/// mix).
MINIMOD_HD inline float random_value(std::uint32_t seed, int x, int y, int z) {
  std::uint32_t h = seed + 0x9e3779b9U * static_cast<std::uint32_t>(x) +
                    0x85ebca6bU * static_cast<std::uint32_t>(y) + 0xc2b2ae35U * static_cast<std::uint32_t>(z);
  h ^= h >> 16U;
  h *= 0x85ebca6bU;
  h ^= h >> 13U;
  h *= 0xc2b2ae35U;
  h ^= h >> 16U;
  return static_cast<float>(h >> 8U) * 0x1p-23F - 1;
}

}  // namespace minimod
