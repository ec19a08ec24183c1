/// Values in blocks of 16 bits with a common scale: a code is the value over the scale, rounded, which is
/// wrong by half the scale at most, a 65534th of the block's greatest magnitude.
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/grid.hpp"

namespace minimod {

inline constexpr int values_of_block = 32;

/// Blocks of values, and where scales and codes of each lie.
template <class Real>
struct ValueBlocks {
  static constexpr int abreast = 32;  ///< blocks along x
  static constexpr int greatest_code = 32767;
  static constexpr Real least = greatest_code * std::numeric_limits<Real>::min();  ///< less has no inverse
  Real* values = nullptr;
  Real* scales = nullptr;
  std::int16_t* codes = nullptr;
  std::int64_t count = 0;

  [[nodiscard]] Box3 box() const {
    return {{0, 0, 0}, {abreast, static_cast<int>((count + abreast - 1) / abreast), 1}};
  }
  /// Number of the block at a point of that box; beyond the last one `count` or more.
  [[nodiscard]] MINIMOD_HD std::int64_t block(const Index3& p) const {
    return std::int64_t{p.y} * abreast + p.x;
  }
};

template <class Real>
struct BlockPacking {
  ValueBlocks<Real> blocks;
  MINIMOD_HD void operator()(const Index3& p) const {
    constexpr int most = ValueBlocks<Real>::greatest_code;
    const std::int64_t block = blocks.block(p), first = block * values_of_block;
    if (block >= blocks.count) return;
    Real greatest = 0;
    for (int i = 0; i < values_of_block; ++i) {
      const Real value = blocks.values[first + i], magnitude = value < 0 ? -value : value;
      if (magnitude > greatest) greatest = magnitude;
    }
    if (greatest < ValueBlocks<Real>::least) greatest = 0;
    const Real inverse = greatest > 0 ? most / greatest : Real(0);
    blocks.scales[block] = greatest / most;
    for (int i = 0; i < values_of_block; ++i) {
      const Real value = blocks.values[first + i] * inverse;
      const Real rounded = value + (value < 0 ? Real(-0.5) : Real(0.5));
      const bool is_code = rounded > -most - 1 && rounded < most + 1;  // no code of what is not finite
      blocks.codes[first + i] = is_code ? static_cast<std::int16_t>(rounded) : std::int16_t{0};
    }
  }
};

template <class Real>
struct BlockUnpacking {
  ValueBlocks<Real> blocks;
  MINIMOD_HD void operator()(const Index3& p) const {
    const std::int64_t block = blocks.block(p), first = block * values_of_block;
    if (block >= blocks.count) return;
    const Real scale = blocks.scales[block];
    for (int i = 0; i < values_of_block; ++i) blocks.values[first + i] = blocks.codes[first + i] * scale;
  }
};

}  // namespace minimod
