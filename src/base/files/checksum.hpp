/// A checksum that tells one file from another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace minimod {

/// CRC-32 of bytes, as gzip, PNG and Python's zlib.crc32 have it (ISO 3309, reflected polynomial 0xEDB88320).
/// `before`: that of the bytes in front of them.
[[nodiscard]] std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// The same of a file from `offset` on. Errors: those of InputFile.
[[nodiscard]] std::uint32_t crc32_of_file(const std::filesystem::path& path, std::uint64_t offset = 0);

/// Eight digits.
[[nodiscard]] std::string hexadecimal(std::uint32_t checksum);

}  // namespace minimod
