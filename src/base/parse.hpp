/// Strict reading of numbers from text: the whole text must be the number, the locale changes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/error.hpp"
#include "src/base/extents.hpp"

namespace minimod {

/// `text` as a finite decimal number ("2", "-0.5", "+1.5", "1e-3"), or nothing: no hexadecimal, no space, no
/// inf or nan. One too small for a double is 0.
[[nodiscard]] std::optional<double> to_number(std::string_view text);

/// As to_number; Error 64 with the option, the value and what is expected.
[[nodiscard]] double parse_number(std::string_view text, std::string_view option);

/// A number above zero. Error 64.
[[nodiscard]] double parse_positive(std::string_view text, std::string_view option);
/// 0 or a number above it. Error 64.
[[nodiscard]] double parse_not_negative(std::string_view text, std::string_view option);

/// A decimal integer ("12", "+12", not "1e3" or "0x10") from `min` to `max`. Error 64 that says the limit.
[[nodiscard]] std::int64_t parse_integer(std::string_view text, std::string_view option,
                                         std::int64_t min = std::numeric_limits<std::int64_t>::min(),
                                         std::int64_t max = std::numeric_limits<std::int64_t>::max());

/// The parts of `text` between the separators: always one more than there are separators.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// The results of `of` for each part, with `between` between them.
template <class Parts, class Of = std::identity>
[[nodiscard]] std::string joined(Parts&& parts, std::string_view between = ", ", const Of& of = {}) {
  std::string all, before;
  for (const auto& part : parts) {
    all += text(before, std::invoke(of, part));
    before = between;
  }
  return all;
}

/// Whether a pattern of the shell ('st_reg_*') matches a name.
[[nodiscard]] bool matches_pattern(const std::string& name, const std::string& pattern);

/// Names for which the words of a list with commas stand: for each word those that it matches as a pattern,
/// "all" being all of them, or where there are none itself. Each once.
[[nodiscard]] std::vector<std::string> matching(std::string_view list, const std::vector<std::string>& names);

/// "x,y,z" in metres. Error 64.
[[nodiscard]] Point3 parse_point(std::string_view text, std::string_view option);

/// One spacing for all axes or "hx,hy,hz", each above zero, in metres. Error 64.
[[nodiscard]] Point3 parse_spacing(std::string_view text, std::string_view option);

/// "N" for a cube or "NX,NY,NZ", each from 1 to 2^31 - 1. Error 64.
[[nodiscard]] Extent3 parse_extent(std::string_view text, std::string_view option);

}  // namespace minimod
