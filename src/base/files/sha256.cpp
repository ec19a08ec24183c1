#include "src/base/files/sha256.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace minimod {

namespace {

using Word = std::uint32_t;
constexpr int sha_rounds = 64, words_of_block = 16, bytes_of_block = 64;

constexpr bool is_prime(int n) {
  for (int d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n > 1;
}

/// The first 32 bits behind the point of the `power`-th root of each of the first primes.
template <int Count>
constexpr std::array<Word, Count> fractions_of_roots(int power) {
  std::array<Word, Count> fractions{};
  int prime = 2;
  for (Word& fraction : fractions) {
    while (!is_prime(prime)) ++prime;
    const unsigned __int128 wanted = static_cast<unsigned __int128>(prime) << (32 * power);
    std::uint64_t root = 0;  // root of prime 2^(32 power), rounded down
    for (int bit = 37; bit >= 0; --bit) {
      const std::uint64_t tried = root | std::uint64_t{1} << bit;
      unsigned __int128 product = 1;
      for (int i = 0; i < power; ++i) product *= tried;
      if (product <= wanted) root = tried;
    }
    fraction = static_cast<Word>(root);
    ++prime;
  }
  return fractions;
}

constexpr std::array<Word, sha_rounds> round_constants = fractions_of_roots<sha_rounds>(3);

using State = std::array<Word, 8>;

void add_block(State& state, const unsigned char* bytes) {
  std::array<Word, sha_rounds> w{};
  for (int t = 0; t < words_of_block; ++t) {
    for (int i = 0; i < 4; ++i) w[t] = w[t] << 8 | bytes[4 * t + i];
  }
  for (int t = words_of_block; t < sha_rounds; ++t) {
    const Word early = w[t - 15], late = w[t - 2];
    w[t] = w[t - 16] + w[t - 7] + (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3) +
           (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (int t = 0; t < sha_rounds; ++t) {
    const Word first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                       round_constants[t] + w[t];
    const Word second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const State worked{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += worked[i];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  std::string padded(bytes);
  padded += '\x80';
  while (padded.size() % bytes_of_block != bytes_of_block - 8) padded += '\0';
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift & 0xff);

  State state = fractions_of_roots<8>(2);
  for (std::size_t at = 0; at < padded.size(); at += bytes_of_block) {
    add_block(state, reinterpret_cast<const unsigned char*>(padded.data()) + at);
  }
  std::string digits;
  for (const Word word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[word >> shift & 0xf];
  }
  return digits;
}

}  // namespace minimod
