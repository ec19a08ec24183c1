/// Tables of what was measured: a record a row, and where in it each column has its number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/json.hpp"

namespace minimod {

enum class NumberForm { digits, fixed, scientific, general };  ///< the first: three of them (three_digits)

/// Numbers under a head of two lines, all at the right of the column.
struct TableColumn {
  const char *above, *title;  ///< the head's lines
  std::size_t width;
  const char* where;  ///< in a row's record, a JSON pointer
  NumberForm form = NumberForm::digits;
  int precision = 0;  ///< digits of the other forms
  double factor = 1;  ///< times which the number is shown
  const char* behind = "";

  /// True of a row's figure "theirs", which stands in brackets, or is left out where there is none.
  [[nodiscard]] bool is_beside() const { return std::string_view(where).starts_with("/theirs"); }
};

struct Table {
  const char* title;  ///< title of the rows' names, at the left
  std::size_t width;  ///< width of the names
  std::vector<TableColumn> columns;
};

/// The first line of the head where a column has something in it, and the second.
void print_head(const Table& table);
/// A text is shown as it is, "-" for what is null or not there.
void print_row(const Table& table, const std::string& name, const Json& row);
/// A row that has words in place of numbers.
void print_words(const Table& table, std::string name, const std::string& words);
/// Prints the row of a kernel whose field is wrong. `fault`: beside its error, empty for nothing.
void print_wrong(const Table& table, const std::string& name, double error, const std::string& fault = "");
/// An empty line, the head, and the rows by their "name"; nothing where there are none.
void print_table(const Table& table, const Json& rows);

/// Comma-separated values: the titles, which are given so, and a row a line, whose values stand under them;
/// what a row does not have, or null, is empty.
[[nodiscard]] std::string csv_of(const char* titles, const Json& rows);

}  // namespace minimod
