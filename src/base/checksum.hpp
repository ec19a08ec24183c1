/// A checksum that tells one file from another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace minimod {

/// CRC-32 of the bytes of a file, as gzip, PNG and Python's zlib.crc32 have it (ISO 3309, reflected
/// polynomial 0xEDB88320). Errors: those of InputFile.
[[nodiscard]] std::uint32_t crc32_of_file(const std::filesystem::path& path);

/// Eight digits.
[[nodiscard]] std::string hexadecimal(std::uint32_t checksum);

}  // namespace minimod
