#include "src/base/segy/segy_text.hpp"

#include <algorithm>
#include <iterator>

namespace minimod::segy {

namespace {

/// A character and, at the same place, its code.
constexpr std::string_view characters =
    " \"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ\\_`abcdefghijklmnopqrstuvwxyz{}~";
constexpr std::string_view codes =
    "\x40\x7f\x7b\x5b\x6c\x50\x7d\x4d\x5d\x5c\x4e\x6b\x60\x4b\x61\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9"
    "\x7a\x5e\x4c\x7e\x6e\x6f\x7c\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9"
    "\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xe0\x6d\x79\x81\x82\x83\x84\x85\x86\x87\x88\x89\x91\x92\x93\x94\x95"
    "\x96\x97\x98\x99\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xc0\xd0\xa1";
static_assert(characters.size() == codes.size());

}  // namespace

std::string ebcdic(std::string_view ascii) {
  constexpr char unknown = codes[characters.find('?')];
  std::string coded(ascii);
  for (char& character : coded) {
    const std::size_t at = characters.find(character);
    character = at == std::string_view::npos ? unknown : codes[at];
  }
  return coded;
}

bool ends_text(std::span<const std::byte> header) {
  struct Code {
    char blank, letter;  ///< a blank; the bit in which its capital and small letters differ
    std::string end;
  };
  const std::string small = "((seg:endtext))", capital = "((SEG:ENDTEXT))";
  const Code all[] = {{' ', 0x20, small}, {ebcdic(" ").front(), 0x40, ebcdic(capital)}};
  return std::ranges::any_of(all, [header](const Code& code) {
    std::string words;
    for (const std::byte byte : header) {
      const char value = static_cast<char>(byte);
      if (value != code.blank) words += static_cast<char>(value | code.letter);
    }
    return words.find(code.end) != std::string::npos;
  });
}

}  // namespace minimod::segy
