#include "src/base/files/checksum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "src/base/files/input_file.hpp"

namespace minimod {
namespace {

constexpr int bytes_at_once = 8;
using CrcTables = std::array<std::array<std::uint32_t, 256>, bytes_at_once>;

/// The remainder of each byte, and of each with 1, 2, ... zeros behind it.
constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = remainder >> 1 ^ (remainder % 2 != 0 ? 0xEDB88320U : 0U);
    tables[0][byte] = remainder;
  }
  for (std::size_t zeros = 1; zeros < tables.size(); ++zeros) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t shorter = tables[zeros - 1][byte];
      tables[zeros][byte] = shorter >> 8 ^ tables[0][shorter & 0xff];
    }
  }
  return tables;
}

constexpr CrcTables crc_tables = make_crc_tables();

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  static_assert(std::endian::native == std::endian::little, "eight bytes are read as a number");
  std::uint32_t crc = ~before;
  while (bytes.size() >= bytes_at_once) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), bytes_at_once);
    word ^= crc;
    crc = 0;
    for (int i = 0; i < bytes_at_once; ++i) crc ^= crc_tables[bytes_at_once - 1 - i][word >> 8 * i & 0xff];
    bytes = bytes.subspan(bytes_at_once);
  }
  for (const std::byte byte : bytes)
    crc = crc >> 8 ^ crc_tables[0][(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
  return ~crc;
}

std::uint32_t crc32_of_file(const std::filesystem::path& path, std::uint64_t offset) {
  constexpr std::uint64_t piece = std::uint64_t{1} << 20;
  const InputFile file(path);
  std::vector<std::byte> bytes;
  std::uint32_t crc = 0;
  for (; offset < file.size(); offset += piece) {
    bytes.resize(std::min(piece, file.size() - offset));
    file.read(offset, bytes);
    crc = crc32(bytes, crc);
  }
  return crc;
}

std::string hexadecimal(std::uint32_t checksum) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  for (int shift = 28; shift >= 0; shift -= 4) shown += digits[checksum >> shift & 15];
  return shown;
}

}  // namespace minimod
