#include "src/base/checksum.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "src/base/input_file.hpp"

namespace minimod {
namespace {

/// The remainder of each byte.
constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = remainder >> 1 ^ (remainder % 2 != 0 ? 0xEDB88320U : 0U);
    table[byte] = remainder;
  }
  return table;
}

}  // namespace

std::uint32_t crc32_of_file(const std::filesystem::path& path) {
  constexpr auto table = make_table();
  constexpr std::uint64_t piece = std::uint64_t{1} << 20;
  const InputFile file(path);
  std::vector<std::byte> bytes;
  std::uint32_t crc = ~0U;
  for (std::uint64_t offset = 0; offset < file.size(); offset += piece) {
    bytes.resize(std::min(piece, file.size() - offset));
    file.read(offset, bytes);
    for (const std::byte byte : bytes)
      crc = crc >> 8 ^ table[(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
  }
  return ~crc;
}

std::string hexadecimal(std::uint32_t checksum) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  for (int shift = 28; shift >= 0; shift -= 4) shown += digits[checksum >> shift & 15];
  return shown;
}

}  // namespace minimod
