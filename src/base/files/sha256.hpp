/// A checksum that nobody makes two texts for.
#pragma once

#include <string>
#include <string_view>

namespace minimod {

/// SHA-256 (FIPS 180-4) of bytes, as 64 hexadecimal digits, as sha256sum prints it.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace minimod
