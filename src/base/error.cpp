#include "src/base/error.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace minimod {
namespace {

std::string escaped_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) return {c};
  constexpr std::string_view digits = "0123456789abcdef";
  return {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
}

/// Levenshtein distance, one row of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string escaped(std::string_view raw, std::size_t limit) {
  constexpr std::string_view mark = "...";
  std::string shown;
  std::size_t fits = 0;  // as much of `shown` as leaves room for the mark
  for (const char c : raw) {
    shown += escaped_byte(c);
    if (shown.size() + mark.size() <= limit) fits = shown.size();
    if (shown.size() > limit) {
      shown.resize(fits);
      return shown.append(mark.substr(0, limit));
    }
  }
  return shown;
}

std::string nearest_names(std::string_view name, std::vector<std::string> names, std::size_t count) {
  // Beyond this length a name is no slip of the keyboard, and the table would cost its square.
  constexpr std::size_t longest = 256;
  const auto distance = [name](const std::string& other) {
    return edit_distance(name.substr(0, longest), std::string_view(other).substr(0, longest));
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return distance(a) < distance(b); });
  std::string joined;
  for (std::size_t i = 0; i < std::min(count, names.size()); ++i) joined += (i == 0 ? "" : ", ") + names[i];
  return joined;
}

}  // namespace minimod
