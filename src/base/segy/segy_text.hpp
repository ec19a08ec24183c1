/// The texts of SEG-Y, in EBCDIC or ASCII.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace minimod::segy {

/// In EBCDIC; characters that its code pages do not have in one place (and [ ] ^ | !) become question marks.
[[nodiscard]] std::string ebcdic(std::string_view ascii);

/// Whether a text header in either code has ((SEG: EndText)), in any case, with blanks anywhere.
[[nodiscard]] bool ends_text(std::span<const std::byte> header);

}  // namespace minimod::segy
