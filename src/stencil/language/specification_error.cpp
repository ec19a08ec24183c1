#include "src/stencil/language/specification_error.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "src/base/number_rows.hpp"

namespace minimod::stencil {
namespace {

namespace fs = std::filesystem;

constexpr const char* page = "kernels/stencils/README.md has the language";

Place place_of(std::size_t byte, std::string_view text) {
  const std::string_view before = text.substr(0, byte);
  const std::size_t line_begin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  return {1 + static_cast<std::size_t>(std::ranges::count(before, '\n')), 1 + byte - line_begin};
}

/// Without a comment, which a # outside of quotes begins, and blanks before it.
std::string_view statement_of(std::string_view line) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') is_quoted = !is_quoted;
    if (line[i] == '#' && !is_quoted) line = line.substr(0, i);
  }
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

/// Behind the last that stands before the byte and is neither blank nor a comment.
std::size_t end_of_statement(std::size_t byte, std::string_view text) {
  for (std::size_t end = byte; end > 0;) {
    const std::size_t before = text.rfind('\n', end - 1), begin = before == text.npos ? 0 : before + 1;
    const std::string_view line = statement_of(text.substr(begin, end - begin));
    if (!line.empty()) return begin + line.size();
    end = begin == 0 ? 0 : begin - 1;
  }
  return byte;
}

/// Refusal of what other languages have and this one lacks, at the byte or from the one before on; no text
/// where there is none.
Refusal of_other_language(std::size_t byte, std::string_view text) {
  const auto begins = [&](std::size_t at, std::string_view word) {
    return at < text.size() && text.substr(at).starts_with(word);
  };
  const std::size_t before = byte > 0 ? byte - 1 : byte;
  for (const std::string_view word : {"//", "/*"}) {
    for (const std::size_t at : {byte, before}) {
      if (begins(at, word)) return {place_of(at, text), std::string(word) + " begins no comment", "take #"};
    }
  }
  const std::string powers = "write powers as products, u * u, and roots as sqrt(u)";
  if (begins(byte, "^")) return {place_of(byte, text), "there is no operation ^", powers};
  if (begins(before, "**")) return {place_of(before, text), "there is no operation **", powers};
  return {};
}

}  // namespace

std::string_view line_of(std::string_view text, std::size_t number) {
  for (; number > 1; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

Error error_at(const Refusal& refusal, std::string_view specification, const fs::path& path) {
  constexpr std::size_t longest = 200, shortest_excerpt = 20, longest_excerpt = 60;
  const std::size_t others =
      std::min<std::size_t>(path.native().size(), 80) + refusal.what.size() + refusal.remedy.size();
  const std::size_t room = std::clamp(longest - std::min(longest, others), shortest_excerpt, longest_excerpt);
  std::string_view line = line_of(specification, refusal.place.line);
  const std::size_t column = std::min(refusal.place.column - 1, line.size());
  if (line.size() > room && column > room / 2) line.remove_prefix(column - room / 2);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string excerpt = line.empty() ? "" : text(", in '", escaped(line, room), "'");
  return line_error(path, static_cast<std::int64_t>(refusal.place.line), refusal.place.column,
                    refusal.what + excerpt, refusal.remedy);
}

Refusal missed_at(std::size_t byte, std::string_view message, bool is_end, std::string_view specification) {
  const unsigned char found = byte < specification.size() ? specification[byte] : ' ';
  const bool is_text = (found >= ' ' && found < 0x7f) || found == '\n' || found == '\r' || found == '\t';
  if (!is_text) {
    return {place_of(byte, specification),
            text("byte ", escaped(specification.substr(byte, 1)), " is no text"),
            "write ASCII, in comments UTF-8"};
  }
  if (Refusal other = of_other_language(byte, specification); !other.what.empty()) return other;
  const Place place = place_of(byte, specification);
  if (!is_end) return {place, std::string(message), page};
  const Place end = place_of(end_of_statement(byte, specification), specification);
  return {end.line < place.line ? end : place, std::string(message), page};
}

}  // namespace minimod::stencil
