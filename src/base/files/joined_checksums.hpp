/// CRC-32 (checksum.hpp) of parts that are summed apart, by anyone.
#pragma once

#include <cstdint>
#include <cstring>

#include "src/base/extents.hpp"

namespace minimod {

/// The polynomial, the bit of x³¹ lowest.
inline constexpr std::uint32_t crc32_polynomial = 0xEDB88320;

/// CRC-32 of the bytes of a float behind others, whose CRC-32 is `before`.
[[nodiscard]] MINIMOD_HD inline std::uint32_t crc32_with(float value, std::uint32_t before) {
  std::uint32_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  std::uint32_t rest = ~before ^ bits;
  for (int i = 0; i < 32; ++i) rest = (rest >> 1) ^ ((0U - (rest & 1)) & crc32_polynomial);
  return ~rest;
}

/// Joins CRC-32 of parts of which each second one has as many bytes.
class JoinedChecksums {
 public:
  explicit JoinedChecksums(std::uint64_t bytes);
  /// CRC-32 of both parts behind each other.
  [[nodiscard]] std::uint32_t operator()(std::uint32_t first, std::uint32_t second) const;

 private:
  std::uint32_t shift_;  ///< x to the power of the second part's bits, modulo the polynomial
};

}  // namespace minimod
