#include "src/ranks/messages.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace minimod {

TEST_CASE("Bytes between ranks go in messages that MPI can count, each byte once, and none in one",
          "[unit]") {
  std::vector<unsigned char> all(13);
  std::iota(all.begin(), all.end(), 1);
  for (std::size_t size = 0; size <= all.size(); ++size) {
    std::vector<unsigned char> sent;
    std::vector<std::size_t> sizes;
    const auto send = [&](std::span<const unsigned char> part) {
      sent.insert(sent.end(), part.begin(), part.end());
      sizes.push_back(part.size());
    };
    in_messages(std::span(std::as_const(all)).first(size), send, 4);
    CAPTURE(size);
    CHECK(sent == std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size)));
    CHECK(sizes.size() == (size == 0 ? 1 : (size + 3) / 4));
    CHECK(std::ranges::max(sizes) <= 4);
  }
}

}  // namespace minimod
