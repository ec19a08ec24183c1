#include "src/base/files/checksum.hpp"

#include <algorithm>
#include <vector>

#include <libdeflate.h>

#include "src/base/files/input_file.hpp"

namespace minimod {

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  return libdeflate_crc32(before, bytes.data(), bytes.size());
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
