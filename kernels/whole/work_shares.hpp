/// Work for the threads of a launch on the host, whose cores need not be of one speed.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace minimod {

/// Pieces of work, 0 to `pieces` - 1, which are best done one after the other by one thread. Each thread has
/// as many of them to begin with; one that is through takes the second half of what most is left of.
class WorkShares {
 public:
  WorkShares(int pieces, int threads) : shares_(threads) {
    for (int i = 0; i < threads; ++i) shares_[i].left = part(pieces, i, threads);
  }

  /// Does thread `own`'s share: calls work(i) of its pieces i and of all that it comes to take.
  template <class Work>
  void work_off(int own, const Work& work) {
    do {
      while (const auto piece = take_first(shares_[own].left)) work(*piece);
    } while (take_half_of_most(shares_[own].left));
  }

 private:
  struct alignas(8) Pieces {  // clang wants a word, to change it in one go
    std::uint32_t begin, end;
    [[nodiscard]] std::uint32_t count() const { return end - begin; }
  };
  using Left = std::atomic<Pieces>;
  struct alignas(128) Share {  // each on lines of its own
    Left left;
  };

  static Pieces part(std::int64_t pieces, int i, int threads) {
    return {static_cast<std::uint32_t>(pieces * i / threads),
            static_cast<std::uint32_t>(pieces * (i + 1) / threads)};
  }

  static std::optional<int> take_first(Left& left) {
    Pieces before = left.load();
    while (before.count() > 0) {
      if (left.compare_exchange_weak(before, {before.begin + 1, before.end})) return before.begin;
    }
    return std::nullopt;
  }

  /// Whether there were any.
  bool take_half_of_most(Left& own) {
    while (true) {
      Share& most = *std::ranges::max_element(shares_, {},
                                              [](const Share& share) { return share.left.load().count(); });
      Pieces before = most.left.load();
      if (before.count() == 0) return false;
      const std::uint32_t middle = before.begin + before.count() / 2;
      if (!most.left.compare_exchange_strong(before, {before.begin, middle})) continue;
      own = {middle, before.end};
      return true;
    }
  }

  std::vector<Share> shares_;
};

}  // namespace minimod
