#include "src/base/error.hpp"

#include <algorithm>
#include <numeric>
#include <system_error>
#include <tuple>
#include <utility>

namespace minimod {
namespace {

std::string escaped_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) return {c};
  constexpr std::string_view digits = "0123456789abcdef";
  return {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
}

/// How far a right name is from a wrong one; the smaller, the likelier it was meant.
struct NameDistance {
  bool unlike;        ///< over half of the wrong name differs from any beginning of the right one
  std::size_t edits;  ///< to the beginning that is nearest, or to the whole name where all are unlike
  bool unfinished;    ///< the right name goes on behind its beginning for more than a letter

  friend bool operator<(const NameDistance& a, const NameDistance& b) {
    return std::tie(a.unlike, a.edits, a.unfinished) < std::tie(b.unlike, b.edits, b.unfinished);
  }
};

/// By Levenshtein's distance of `wrong` from every beginning of `right`, one row of the table at a time.
NameDistance distance_between(std::string_view wrong, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t replaced = diagonal + (wrong[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  const std::size_t least = *std::min_element(row.begin(), row.end());
  if (2 * least > wrong.size()) return {true, row.back(), false};
  return {false, least, row.back() > least + 1};
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

std::string shown(const std::filesystem::path& path) {
  return text("'", escaped(path.native()), "'");
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

std::string nearest_names(std::string_view name, const std::vector<std::string>& names, std::size_t count) {
  // Beyond this length a name is no slip of the keyboard, and the table would cost its square.
  constexpr std::size_t longest = 256;
  std::vector<std::pair<NameDistance, std::string_view>> ranked;
  ranked.reserve(names.size());
  for (const std::string_view other : names) {
    ranked.emplace_back(distance_between(name.substr(0, longest), other.substr(0, longest)), other);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string joined;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i) {
    (joined += i == 0 ? "" : ", ") += ranked[i].second;
  }
  return joined;
}

}  // namespace minimod
