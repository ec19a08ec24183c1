#include "src/base/process/screen.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "src/base/error.hpp"

namespace minimod {

std::size_t columns_of(std::string_view text) {
  const auto begins_a_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; };
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_a_character));
}

std::string wrapped(std::string_view text, std::string_view before, std::size_t columns) {
  std::istringstream words{std::string(text)};
  const std::size_t indent = columns_of(before);
  std::string lines(before);
  std::size_t column = indent;
  for (std::string word; words >> word;) {
    const std::size_t width = columns_of(word);
    const bool first = column == indent, fits = column + 1 + width <= columns;
    if (!first) lines += fits ? " " : '\n' + std::string(indent, ' ');
    column = (first || !fits ? indent : column + 1) + width;
    lines += word;
  }
  return lines;
}

void print_wrapped(std::string_view text, std::string_view before) {
  std::printf("%s\n", wrapped(text, before).c_str());
}

std::string three_digits(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, value < 99.95 ? "%#.3g" : "%.0f", value);
  return buffer;
}

std::string Footnotes::mark(const std::string& text) {
  const auto found = std::ranges::find(texts_, text);
  const auto number = found - texts_.begin() + 1;
  if (found == texts_.end()) texts_.push_back(text);
  return minimod::text('(', number, ')');
}

std::string Footnotes::lines() const {
  std::string all;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const std::string mark = minimod::text('(', i + 1, ") ");
    all += wrapped(texts_[i], mark) + '\n';
  }
  return all;
}

}  // namespace minimod
