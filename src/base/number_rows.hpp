/// Reading a text file of numbers, a row a line: samples of a wavelet, positions of receivers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "src/base/error.hpp"

namespace minimod {

/// Format that the rows of a file must have.
struct RowFormat {
  std::size_t min_columns = 1;
  std::size_t max_columns = 1;
  /// Names that an optional first line may give to its columns, with nothing or the unit m behind them ("x",
  /// "X [m]", "y_m"), in any order and among others.
  std::vector<std::string> header;
  /// Columns that only such a line can name and a file need not have; they are read as texts.
  std::vector<std::string> texts = {};
  std::string expected;  ///< words on what to give instead, for errors: "x,y,z in metres, a receiver a line"
};

/// A field of a file that is no number.
struct TextField {
  std::string value;       ///< without the quotes around it
  std::size_t column = 0;  ///< column of its line, from 1; 0 where the file has no such column
};

/// The numbers of a file; every row has the same number of columns. Under a header they are those that the
/// format names, in its order.
struct NumberRows {
  std::size_t columns = 0;
  std::vector<std::string> left_out;  ///< names of the other columns, which may hold anything
  std::vector<double> values;         ///< [row, column]
  std::vector<std::int32_t> lines;    ///< line of the file on which each row stands, from 1
  std::vector<TextField> texts;       ///< [row, text of the format]; empty where the file has none of them
  [[nodiscard]] std::size_t rows() const { return lines.size(); }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return values[row * columns + column];
  }
};

/// Reads the rows of `path`. Columns are separated by semicolons, in a line without any by commas, and in a
/// line without either by blanks and tabs; a field in double quotes may hold semicolons and commas; what
/// follows a # is a comment; blank lines, CRLF and a byte order
/// mark are skipped. Nothing larger than 10^7 lines, 4096 characters a line or 1 GiB is read. Errors: 66
/// missing or not a file, 77 unreadable, 74 reading failed midway, 71 more lines than those, or than a
/// quarter of the free memory takes, 65 anything else, as file:line:column.
[[nodiscard]] NumberRows read_number_rows(const std::filesystem::path& path, const RowFormat& format);

/// Note "of 'file' x, y and z are read; left out: id", where `read` are the first of these; empty where all
/// are.
[[nodiscard]] std::string left_out_note(const std::string& path, const NumberRows& rows,
                                        const std::string& read);

/// The Error 65 "file:line:column: what; remedy" (without the column where it is 0).
[[nodiscard]] Error line_error(const std::filesystem::path& path, std::int64_t line, std::size_t column,
                               const std::string& what, const std::string& remedy);

}  // namespace minimod
