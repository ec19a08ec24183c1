/// Output for people at a terminal: lines of at most 100 columns, figures of three digits, reasons said once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace minimod {

inline constexpr std::size_t screen_columns = 100;

/// Columns that UTF-8 text takes.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// `text` broken at blanks into lines of at most `columns`, `before` before the first and as many blanks
/// before the others; a longer word stays whole.
[[nodiscard]] std::string wrapped(std::string_view text, std::string_view before = "",
                                  std::size_t columns = screen_columns);
/// Prints that, and ends the line.
void print_wrapped(std::string_view text, std::string_view before = "");

/// A positive number with three digits, as "0.00123", "1.23", "219" or "1.23e-05": none of it is read as 0.
[[nodiscard]] std::string three_digits(double value);

/// Texts that rows of a table share, said once under it.
class Footnotes {
 public:
  /// "(1)", the same one for the same text.
  [[nodiscard]] std::string mark(const std::string& text);
  /// "(1) …", a text a line; empty where none was marked.
  [[nodiscard]] std::string lines() const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace minimod
