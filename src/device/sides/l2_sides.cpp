#include "src/device/sides/l2_sides.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace minimod {

namespace {

constexpr int number_bits = std::countr_zero(static_cast<unsigned>(FieldPages::pages_of_block));
constexpr unsigned numbers = FieldPages::pages_of_block;
constexpr std::size_t most_blocks = 32;

/// Half way between the means of the low and the high values.
unsigned middle_of(std::span<const unsigned> values) {
  double low = *std::ranges::min_element(values), high = *std::ranges::max_element(values);
  for (int turn = 0; turn < 20; ++turn) {
    std::array<double, 2> sum{}, count{};
    for (const unsigned value : values) {
      const std::size_t is_high = std::abs(value - low) > std::abs(value - high) ? 1 : 0;
      sum[is_high] += value;
      ++count[is_high];
    }
    low = sum[0] / std::max(count[0], 1.0);
    high = sum[1] / std::max(count[1], 1.0);
  }
  return static_cast<unsigned>((low + high) / 2);
}

/// Equations over bits: the parity of some unknown ones is known.
class ParityEquations {
 public:
  /// `unknown`: those in it. False where it contradicts the others.
  bool add(std::uint64_t unknown, bool parity) {
    std::uint64_t row = unknown | (parity ? sum : 0);
    while ((row & ~sum) != 0) {
      std::uint64_t& pivot = rows_[static_cast<std::size_t>(std::countr_zero(row))];
      if (pivot == 0) {
        pivot = row;
        return true;
      }
      row ^= pivot;
    }
    return row == 0;
  }
  /// Unknown ones that stay open are 0.
  [[nodiscard]] std::uint64_t solution() const {
    std::uint64_t found = 0;
    for (std::size_t bit = rows_.size(); bit-- > 0;) {
      const std::uint64_t row = rows_[bit];
      const int others = std::popcount(row & ~sum & found);
      if (row != 0 && (others % 2 == 1) != ((row & sum) != 0)) found |= std::uint64_t{1} << bit;
    }
    return found;
  }

 private:
  static constexpr std::uint64_t sum = std::uint64_t{1} << 63;
  std::array<std::uint64_t, 63> rows_{};
};

}  // namespace

SidesByLatency sides_by_latency(std::span<const unsigned> clocks, std::size_t places) {
  SidesByLatency found;
  found.agreement = 1;
  for (std::size_t first = 0; first < clocks.size(); first += places) {
    const auto mine = clocks.subspan(first, places);
    found.threshold.push_back(middle_of(mine));
    std::size_t same = 0;
    for (std::size_t i = 0; i < places; ++i)
      same += (mine[i] > found.threshold.back()) == (clocks[i] > found.threshold.front()) ? 1 : 0;
    found.of_each.push_back(2 * same < places ? 1 : 0);
    const double share = static_cast<double>(std::max(same, places - same)) / static_cast<double>(places);
    found.agreement = std::min(found.agreement, share);
  }
  return found;
}

/// By trial of where the first page lies, and of which pages come first: a rule is made of these, and those
/// that contradict it are wrong. Behind the bits of a number the blocks' own bits are unknown.
std::optional<unsigned> find_page_bits(std::span<const unsigned char> bits) {
  const std::size_t count = bits.size();
  std::size_t least = count / 16 + 1;
  std::optional<unsigned> rule;
  for (unsigned first = 0; first < numbers && least > 0; ++first) {
    for (const std::size_t begin : {std::size_t{0}, count / 3, 2 * count / 3}) {
      ParityEquations equations;
      std::size_t wrong = 0;
      for (std::size_t k = 0; k < count && wrong < least; ++k) {
        const std::size_t i = (begin + k) % count, block = (first + i) / numbers;
        const std::uint64_t block_bit = std::uint64_t{1} << (number_bits + block);
        if (!equations.add((first + i) % numbers | block_bit, bits[i] != 0)) ++wrong;
      }
      if (wrong >= least) continue;
      least = wrong;
      rule = static_cast<unsigned>(equations.solution()) % numbers;
    }
  }
  return rule;
}

/// By trial, too. The blocks' bits are those of the majority of their pages.
FoundPages find_pages(std::span<const unsigned char> bits, unsigned page_bits) {
  FoundPages best{{}, bits.size()};
  for (unsigned first = 0; first < numbers && first + bits.size() <= most_blocks * numbers; ++first) {
    FoundPages tried{{first, 0}, 0};
    for (std::size_t i = 0, end = 0; i < bits.size() && tried.wrong < best.wrong; i = end) {
      const std::size_t block = (first + i) / numbers;
      end = std::min(bits.size(), (block + 1) * numbers - first);
      std::size_t differing = 0;
      for (std::size_t k = i; k < end; ++k)
        differing += (static_cast<unsigned>(std::popcount((first + k) & page_bits)) ^ bits[k]) & 1;
      if (2 * differing > end - i) tried.pages.blocks |= 1U << block;
      tried.wrong += std::min(differing, end - i - differing);
    }
    if (tried.wrong < best.wrong) best = tried;
  }
  return best;
}

}  // namespace minimod
