#include "src/measure/table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/screen.hpp"

namespace minimod {

namespace {

std::string at_right(const std::string& content, std::size_t width) {
  return std::string(std::max(width, content.size()) - content.size(), ' ') + content;
}

std::string number_text(const TableColumn& column, double number) {
  if (column.form == NumberForm::digits) return three_digits(number);
  const char* const format = column.form == NumberForm::fixed        ? "%.*f"
                             : column.form == NumberForm::scientific ? "%.*e"
                                                                     : "%.*g";
  std::array<char, 64> digits{};
  std::snprintf(digits.data(), digits.size(), format, column.precision, number);
  return digits.data();
}

std::string cell_of(const TableColumn& column, const Json& value) {
  if (value.is_null()) return column.is_beside() ? "" : "-";
  if (value.is_string()) return value.get<std::string>();
  const std::string number = number_text(column, column.factor * value.get<double>()) + column.behind;
  return column.is_beside() ? '(' + at_right(number, column.width - 2) + ')' : at_right(number, column.width);
}

/// A cell has the room of the empty ones before it, too.
template <class Cell>
void print_line(const Table& table, std::string name, const Cell& cell) {
  name.resize(std::max(name.size(), table.width), ' ');
  std::size_t room = 0;
  for (const TableColumn& column : table.columns) {
    room += 1 + column.width;
    const std::string content = cell(column);
    if (content.empty()) continue;
    name += ' ' + at_right(content, room - 1);
    room = 0;
  }
  std::printf("%s\n", name.c_str());
}

}  // namespace

void print_head(const Table& table) {
  const auto has_above = [](const TableColumn& column) { return column.above[0] != '\0'; };
  if (std::ranges::any_of(table.columns, has_above)) {
    print_line(table, "", [](const TableColumn& column) { return column.above; });
  }
  print_line(table, table.title, [](const TableColumn& column) { return column.title; });
}

void print_row(const Table& table, const std::string& name, const Json& row) {
  print_line(table, name,
             [&](const TableColumn& column) { return cell_of(column, row.below(column.where)); });
  std::fflush(stdout);
}

void print_words(const Table& table, std::string name, const std::string& words) {
  name.resize(std::max(name.size(), table.width) + 1, ' ');
  print_wrapped(words, name);
}

void print_wrong(const Table& table, const std::string& name, double error, const std::string& fault) {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%.2e", error);
  print_words(
      table, name,
      text("wrong: relative L2 error ", digits.data(), fault.empty() ? "" : ", ", fault, ", not timed"));
}

void print_table(const Table& table, const Json& rows) {
  if (rows.empty()) return;
  std::printf("\n");
  print_head(table);
  for (const Json& row : rows) print_row(table, row["name"].get<std::string>(), row);
}

std::string csv_of(const char* titles, const Json& rows) {
  std::string csv = titles;
  for (const Json& row : rows) {
    const char* before = "\n";
    for (const std::string_view title : split(titles, ',')) {
      const Json value = row.value(std::string(title), Json());
      csv += before;
      if (!value.is_null()) csv += value.is_string() ? value.get<std::string>() : value.dump();
      before = ",";
    }
  }
  return csv + '\n';
}

}  // namespace minimod
