/// Rules that measured sides obey: those of multiprocessors, and that of the bits of pages.
#include "src/device/sides/l2_sides.hpp"

#include <bit>
#include <random>

#include <catch2/catch_test_macros.hpp>

using namespace minimod;

namespace {

/// Bits of pages from some place in the memory on, of which all bits of their numbers tell the side.
std::vector<unsigned char> bits_from(unsigned first, unsigned count, unsigned bits = 0xa5eb) {
  std::vector<unsigned char> found;
  for (unsigned i = 0; i < count; ++i) found.push_back(std::popcount((first + i) & bits) & 1);
  return found;
}

/// Bits that launches go by.
std::vector<unsigned char> bits_of(const FieldPages& pages, unsigned page_bits, unsigned count) {
  const ChunkLayout at({64, 32, 1 << 14}, 0, page_bits);
  std::vector<unsigned char> found;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned vector = i * ChunkLayout::vectors_of_page;
    found.push_back(at.in_field(vector, pages) == vector ? 0 : 1);
  }
  return found;
}

}  // namespace

TEST_CASE("The rule of pages is found, and by it where other allocations lie", "[unit]") {
  for (const unsigned first : {0U, 1U, 777U, 2047U, 3001U, 23456U}) {
    CAPTURE(first);
    const auto rule = find_page_bits(bits_from(first, 2112));
    REQUIRE(rule);
    for (const unsigned other : {5U, 1500U, 4094U, 20000U}) {
      const auto bits = bits_from(other, 8064);
      const FoundPages found = find_pages(bits, *rule);
      CHECK(found.wrong == 0);
      const bool are_alike = bits_of(found.pages, *rule, 8064) == bits;
      CHECK(are_alike);
    }
  }
}

TEST_CASE("Bits of pages that follow no rule have none, and few such ones change nothing", "[unit]") {
  std::mt19937 random(5);
  std::vector<unsigned char> bits(2112);
  for (unsigned char& bit : bits) bit = random() & 1;
  CHECK_FALSE(find_page_bits(bits));
  CHECK(find_pages(bits, 0x1eb).wrong > bits.size() / 3);
  std::vector<unsigned char> almost = bits_from(9, 2112);
  const std::vector<unsigned char> right = bits_of(find_pages(almost, 0x1eb).pages, 0x1eb, 2112);
  const bool are_alike = right == almost;
  CHECK(are_alike);
  for (const int page : {3, 534, 2000}) almost[page] ^= 1;
  CHECK(find_page_bits(almost) == 0x1ebU);
  const FoundPages found = find_pages(almost, 0x1eb);
  CHECK(found.wrong == 3);
  const bool stay_alike = bits_of(found.pages, 0x1eb, 2112) == right;
  CHECK(stay_alike);
  const auto many = bits_from(9, 40000);  // more than there are bits of blocks for
  CHECK(find_pages(many, 0x1eb).wrong == many.size());
}

TEST_CASE("Multiprocessors take the sides that their latencies say", "[unit]") {
  constexpr std::size_t places = 512;
  std::mt19937 random(3);
  std::vector<unsigned> clocks;
  const auto side_of_place = [](std::size_t i) { return std::popcount(i & 0xabU) & 1; };
  const auto side = [](int multiprocessor) { return multiprocessor % 3 == 1 ? 1 : 0; };
  for (int one = 0; one < 12; ++one) {
    for (std::size_t i = 0; i < places; ++i)
      clocks.push_back((side(one) == side_of_place(i) ? 600 : 990) + random() % 60);
  }
  const SidesByLatency found = sides_by_latency(clocks, places);
  CHECK(found.agreement == 1);
  for (int one = 0; one < 12; ++one) {
    CHECK((found.threshold[one] > 660 && found.threshold[one] < 990));
    CHECK(found.of_each[one] == side(one));
  }
  clocks[5 * places + 7] = 2000 - clocks[5 * places + 7];
  CHECK(sides_by_latency(clocks, places).agreement < 1);
}
