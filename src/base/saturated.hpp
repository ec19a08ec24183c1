/// Sizes that are too large for any machine, and must not come out small.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>

namespace minimod {

/// The product, at most 2^58: sums of some of them, and their doubles, stay in 64 bits.
[[nodiscard]] constexpr std::uint64_t saturated_product(std::initializer_list<std::uint64_t> factors) {
  constexpr std::uint64_t most = std::uint64_t{1} << 58U;
  std::uint64_t product = 1;
  for (const std::uint64_t factor : factors) {
    if (factor == 0) return 0;
    product = product > most / factor ? most : product * factor;
  }
  return product;
}

}  // namespace minimod
