#include "src/base/files/joined_checksums.hpp"

namespace minimod {

namespace {

constexpr std::uint32_t x_to_0 = 1U << 31, x_to_8 = x_to_0 >> 8;

/// The product modulo the polynomial.
std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (; a != 0; a <<= 1) {
    if ((a & x_to_0) != 0) sum ^= b;
    b = (b >> 1) ^ ((0U - (b & 1)) & crc32_polynomial);
  }
  return sum;
}

}  // namespace

JoinedChecksums::JoinedChecksums(std::uint64_t bytes) : shift_(x_to_0) {
  for (std::uint32_t power = x_to_8; bytes != 0; bytes >>= 1) {
    if ((bytes & 1) != 0) shift_ = product(shift_, power);
    power = product(power, power);
  }
}

std::uint32_t JoinedChecksums::operator()(std::uint32_t first, std::uint32_t second) const {
  return product(first, shift_) ^ second;
}

}  // namespace minimod
