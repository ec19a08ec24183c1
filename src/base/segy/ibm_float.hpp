/// IBM System/360 single, as SEG-Y has it: sign, exponent of 16 biased by 64, fraction of 24 bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace minimod {

[[nodiscard]] inline double from_ibm(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 24 & 0x7f) - 64;
  const double magnitude = std::ldexp(bits & 0xffffff, 4 * exponent - 24);
  return bits >> 31 != 0 ? -magnitude : magnitude;
}

/// The nearest to a finite `value`, of two the even one: at most 2^-21 of it away. IBM's range is wider, so
/// that no float overflows or is lost; both zeros become the one without a sign. Integers alone, since the
/// processor may be set to take denormals for zero.
[[nodiscard]] inline std::uint32_t to_ibm(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t exponent = bits >> 23 & 0xff;
  std::uint32_t significand = (bits & 0x7fffff) | (exponent == 0 ? 0U : 0x800000U);
  if (significand == 0) return 0;
  const int shift = std::countl_zero(significand) - 8;
  significand <<= shift;  // now value = significand * 2^power, with 24 bits
  const int power = (exponent == 0 ? 1 : static_cast<int>(exponent)) - 150 - shift;
  const int biased = (power + 24 + 3 + 256) / 4;  // the least exponent of 16 that holds it
  const int dropped = 4 * (biased - 64) - 24 - power;
  const std::uint32_t rest = significand & ((1U << dropped) - 1), half = 1U << dropped >> 1;
  std::uint32_t fraction = significand >> dropped;
  if (rest > half || (rest != 0 && rest == half && fraction % 2 != 0)) ++fraction;
  return (bits & 0x80000000U) | static_cast<std::uint32_t>(biased) << 24 | fraction;
}

}  // namespace minimod
