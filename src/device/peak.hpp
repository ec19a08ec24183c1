/// The peak of a field: the point where its magnitude is greatest.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "src/base/extents.hpp"

namespace minimod {

/// Magnitudes are compared by their bits, in whose order infinity comes behind all numbers and NaN behind
/// infinity.
struct Peak {
  std::uint32_t bits = 0;  ///< bits of the magnitude, a float
  Index3 node;
  [[nodiscard]] float magnitude() const { return std::bit_cast<float>(bits); }
};

[[nodiscard]] MINIMOD_HD inline std::uint32_t magnitude_bits(float value) {
  constexpr std::uint32_t all_but_the_sign = 0x7fffffff;
  std::uint32_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return bits & all_but_the_sign;
}

}  // namespace minimod
