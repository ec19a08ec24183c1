#include "src/base/parse.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>
#include <string>
#include <system_error>

#include <fnmatch.h>

#include "src/base/error.hpp"

namespace minimod {
namespace {

constexpr std::size_t shown_value = 60;

Error usage_error(std::string_view text, std::string_view option, const std::string& wrong,
                  const std::string& remedy) {
  return {ErrorKind::parameter, minimod::text(option, " '", escaped(text, shown_value), "' ", wrong), remedy};
}

/// The parts of a list of three, or of one where `one_is_enough`.
std::vector<std::string_view> components(std::string_view text, std::string_view option, bool one_is_enough,
                                         const std::string& expected) {
  auto parts = split(text, ',');
  if (parts.size() == 3 || (one_is_enough && parts.size() == 1)) return parts;
  throw usage_error(text, option, minimod::text("has ", parts.size(), parts.size() == 1 ? " part" : " parts"),
                    "give " + expected);
}

/// `text` without the one plus that a number may begin with, which from_chars does not know.
std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  return text;
}

/// Value of a decimal number that no double holds: 0 or an infinity, which from_chars does not tell apart.
double beyond_range(std::string_view number) {
  std::istringstream stream{std::string(number)};
  stream.imbue(std::locale::classic());
  double value = 0;
  stream >> value;
  return std::abs(value) > 1 ? HUGE_VAL : 0;
}

}  // namespace

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const std::string_view bare = without_plus(text);
  const char* const end = bare.data() + bare.size();
  const auto [stop, error] = std::from_chars(bare.data(), end, value, std::chars_format::general);
  if (stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) value = beyond_range(bare);
  if (error == std::errc::invalid_argument || !std::isfinite(value)) return std::nullopt;
  return value;
}

double parse_number(std::string_view text, std::string_view option) {
  const auto value = to_number(text);
  if (!value) {
    throw usage_error(text, option, "is not a finite number", "give a decimal number such as 2.5 or 1e-3");
  }
  return *value;
}

double parse_positive(std::string_view text, std::string_view option) {
  const double value = parse_number(text, option);
  if (value <= 0) throw usage_error(text, option, "is not above 0", "give a number above 0");
  return value;
}

double parse_not_negative(std::string_view text, std::string_view option) {
  const double value = parse_number(text, option);
  if (value < 0) throw usage_error(text, option, "is below 0", "give 0 or a number above it");
  return value;
}

std::int64_t parse_integer(std::string_view text, std::string_view option, std::int64_t min,
                           std::int64_t max) {
  std::int64_t value = 0;
  const std::string_view bare = without_plus(text);
  const char* const end = bare.data() + bare.size();
  const auto [stop, error] = std::from_chars(bare.data(), end, value);
  const std::string limits = minimod::text("give an integer from ", min, " to ", max);
  if (error == std::errc::invalid_argument || stop != end) {
    throw usage_error(text, option, "is not an integer", limits);
  }
  if (error != std::errc{} || value < min || value > max) {
    throw usage_error(text, option, "is out of range", limits);
  }
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find(separator, begin)) != std::string_view::npos; begin = end + 1) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

bool matches_pattern(const std::string& name, const std::string& pattern) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

std::vector<std::string> matching(std::string_view list, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(found, name) == found.end()) found.push_back(name);
  };
  for (const std::string_view word : split(list, ',')) {
    const std::string pattern = word == "all" ? "*" : std::string(word);
    const auto matches = [&](const std::string& name) { return matches_pattern(name, pattern); };
    if (std::ranges::none_of(names, matches)) add(pattern);
    for (const std::string& name : names) {
      if (matches(name)) add(name);
    }
  }
  return found;
}

Point3 parse_point(std::string_view text, std::string_view option) {
  const auto parts = components(text, option, false, "x,y,z in metres, such as 500,500,20");
  return {parse_number(parts[0], option), parse_number(parts[1], option), parse_number(parts[2], option)};
}

Point3 parse_spacing(std::string_view text, std::string_view option) {
  const auto parts = components(text, option, true, "one spacing or hx,hy,hz in metres, such as 20");
  const double x = parse_positive(parts[0], option);
  if (parts.size() == 1) return {x, x, x};
  return {x, parse_positive(parts[1], option), parse_positive(parts[2], option)};
}

Extent3 parse_extent(std::string_view text, std::string_view option) {
  const auto parts = components(text, option, true, "N or NX,NY,NZ, such as 400 or 400,300,200");
  const auto points = [option](std::string_view part) {
    return static_cast<int>(parse_integer(part, option, 1, std::numeric_limits<int>::max()));
  };
  const int x = points(parts[0]);
  if (parts.size() == 1) return {x, x, x};
  return {x, points(parts[1]), points(parts[2])};
}

}  // namespace minimod
