#include "src/base/number_rows.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "src/base/files/input_file.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/host_memory.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t max_lines = 10'000'000;
constexpr std::size_t max_line_length = 4096;
constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 30;
constexpr std::string_view blanks = " \t\v\f\r";

/// `text` without the blanks at both ends.
std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// As split, but for separators between double quotes.
std::vector<std::string_view> split_unquoted(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    quoted = quoted != (line[i] == '"');
    if (quoted || line[i] != separator) continue;
    fields.push_back(line.substr(begin, i - begin));
    begin = i + 1;
  }
  fields.push_back(line.substr(begin));
  return fields;
}

/// The fields of one line, as views into it.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (const char separator : {';', ','}) {
    fields = split_unquoted(line, separator);
    if (fields.size() == 1) continue;
    std::ranges::transform(fields, fields.begin(), trimmed);
    return fields;
  }
  fields.clear();
  for (std::size_t end = 0, begin = 0; (begin = line.find_first_not_of(blanks, end)) != line.npos;) {
    end = std::min(line.find_first_of(blanks, begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
  }
  return fields;
}

/// Whether the field is the name of a column, alone or with the unit m.
bool is_name(std::string_view field, const std::string& name) {
  std::string bare;
  for (const unsigned char c : field) {
    if (std::isalnum(c) != 0) bare += static_cast<char>(std::tolower(c));
  }
  return bare == name || bare == name + "m";
}

/// Reads a file line by line in bounded memory.
class LineReader {
 public:
  /// `bytes_of_row` is what becomes of a line.
  LineReader(const fs::path& path, std::size_t bytes_of_row) : file_(path) { check_size(bytes_of_row); }

  /// The next line without its end, comment and outer blanks; false after the last.
  bool next(std::string_view& line) {
    if (rest_.find('\n') == std::string_view::npos) refill();
    if (rest_.empty()) return false;
    ++number_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    if (end > max_line_length) {
      throw line_error(path(), number_, 0, text("is longer than ", max_line_length, " characters"),
                       "give a text file of numbers");
    }
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    line = line_;
    if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    line = trimmed(line.substr(0, line.find('#')));
    return true;
  }

  [[nodiscard]] const fs::path& path() const { return file_.path(); }
  [[nodiscard]] std::int32_t number() const { return number_; }
  /// Column (from 1) at which a part of the current line begins.
  [[nodiscard]] std::size_t column(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - line_.data()) + 1;
  }

 private:
  /// Refuses what is too large before any of it is parsed.
  void check_size(std::size_t bytes_of_row) {
    const auto most = static_cast<std::int64_t>(available_host_memory() / 4 / bytes_of_row);
    std::int64_t lines = 0;
    while (lines <= std::min(max_lines, most)) {
      refill();
      const auto found = std::ranges::count(rest_, '\n');
      if (found == 0) break;  // the end, or a line so long that next() refuses it
      lines += found;
      rest_ = {};
    }
    if (lines > std::min(max_lines, most)) {
      throw Error(ErrorKind::resource,
                  text(shown(path()), " has over ", lines - 1, " lines of ", bytes_of_row,
                       " bytes in memory each, and ", std::min(max_lines, most), " lines are taken"),
                  "give fewer");
    }
    if (file_.size() > max_file_bytes) {
      throw Error(ErrorKind::data, shown(path()) + " is larger than 1 GiB", "give a smaller file of numbers");
    }
    rest_ = {};
    offset_ = 0;
  }

  /// Moves what is left to the front of the buffer and fills it up from the file.
  void refill() {
    std::ranges::copy(rest_, buffer_.begin());
    const std::size_t count = std::min<std::uint64_t>(buffer_.size() - rest_.size(), file_.size() - offset_);
    file_.read(offset_, std::as_writable_bytes(std::span(buffer_).subspan(rest_.size(), count)));
    offset_ += count;
    rest_ = {buffer_.data(), rest_.size() + count};
  }

  InputFile file_;
  std::vector<char> buffer_ = std::vector<char>(1 << 16);
  std::string_view line_, rest_;  ///< the current line; what has been read and lies behind it
  std::uint64_t offset_ = 0;      ///< place in the file, behind what has been read
  std::int32_t number_ = 0;
};

/// `field` without double quotes around it.
std::string_view unquoted(std::string_view field) {
  const bool is_quoted = field.size() > 1 && field.front() == '"' && field.back() == '"';
  return is_quoted ? field.substr(1, field.size() - 2) : field;
}

/// Fields of a line that are read, and how many it must have.
struct Columns {
  std::vector<std::size_t> read;  ///< empty: all
  std::size_t min, max;
  std::vector<std::optional<std::size_t>> texts = {};  ///< fields of the format's texts; empty: none
};

/// The field that is named so; nothing where none is. Error 65 where several are.
std::optional<std::size_t> find_column(const std::vector<std::string_view>& fields, const std::string& name,
                                       const LineReader& reader, const RowFormat& format) {
  const auto is_it = [&](std::string_view field) { return is_name(field, name); };
  const auto found = std::ranges::find_if(fields, is_it);
  if (found == fields.end()) return std::nullopt;
  if (std::any_of(found + 1, fields.end(), is_it)) {
    throw line_error(reader.path(), reader.number(), reader.column(fields.front()),
                     text("not one column is named ", name), "give " + format.expected);
  }
  return found - fields.begin();
}

/// Columns by the first line, where it is a header: none of its fields is a number. Nothing where it is a
/// row.
std::optional<Columns> read_header(const std::vector<std::string_view>& fields, const LineReader& reader,
                                   const RowFormat& format, NumberRows& rows) {
  const auto is_number = [](std::string_view field) { return to_number(field).has_value(); };
  if (format.header.empty() || std::ranges::any_of(fields, is_number)) return std::nullopt;
  Columns columns{{}, fields.size(), fields.size()};
  for (const std::string& name : format.header) {
    const auto column = find_column(fields, name, reader, format);
    if (!column) {
      throw line_error(reader.path(), reader.number(), reader.column(fields.front()),
                       text("not one column is named ", name), "give " + format.expected);
    }
    columns.read.push_back(*column);
  }
  for (const std::string& name : format.texts) {
    columns.texts.push_back(find_column(fields, name, reader, format));
  }
  const auto is_none = [](const std::optional<std::size_t>& column) { return !column; };
  if (std::ranges::all_of(columns.texts, is_none)) columns.texts.clear();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool is_read = std::ranges::find(columns.read, i) != columns.read.end() ||
                         std::ranges::find(columns.texts, std::optional(i)) != columns.texts.end();
    if (!is_read) rows.left_out.emplace_back(fields[i]);
  }
  return columns;
}

/// Adds the fields of the reader's current line to the rows.
void append_row(NumberRows& rows, const LineReader& reader, std::string_view line,
                const std::vector<std::string_view>& fields, const Columns& columns,
                const std::string& expected) {
  const auto append = [&](std::string_view field) {
    const auto value = to_number(field);
    if (!value) {
      throw line_error(reader.path(), reader.number(), reader.column(field),
                       "'" + escaped(field, 30) + "' is not a finite number", "give " + expected);
    }
    rows.values.push_back(*value);
  };
  if (columns.read.empty()) std::ranges::for_each(fields, append);
  if (fields.size() < columns.min || fields.size() > columns.max) {
    const std::string limit =
        columns.min == columns.max ? text(columns.min) : text(columns.min, " to ", columns.max);
    throw line_error(reader.path(), reader.number(), reader.column(line),
                     text("has ", fields.size(), " columns, not ", limit), "give " + expected);
  }
  for (const std::size_t column : columns.read) append(fields[column]);
  for (const auto& column : columns.texts) {
    const std::string_view field = column ? fields[*column] : std::string_view();
    if (unquoted(field).find('"') != field.npos) {
      throw line_error(reader.path(), reader.number(), reader.column(field),
                       "'" + escaped(field, 40) + "' has a double quote within",
                       "put quotes around a field, or none");
    }
    rows.texts.push_back({std::string(unquoted(field)), column ? reader.column(field) : 0});
  }
  rows.columns = columns.read.empty() ? fields.size() : columns.read.size();
  rows.lines.push_back(reader.number());
}

}  // namespace

Error line_error(const fs::path& path, std::int64_t line, std::size_t column, const std::string& what,
                 const std::string& remedy) {
  const std::string at = column == 0 ? std::string() : text(":", column);
  return {ErrorKind::data, text(escaped(path.native()), ":", line, at, ": ", what), remedy};
}

std::string left_out_note(const std::string& path, const NumberRows& rows, const std::string& read) {
  const std::string names = joined(rows.left_out);
  return names.empty()
             ? ""
             : text("of '", escaped(path, 80), "' ", read, " are read; left out: ", escaped(names, 80));
}

NumberRows read_number_rows(const fs::path& path, const RowFormat& format) {
  NumberRows rows;
  LineReader reader(path, format.max_columns * sizeof(double) + sizeof(std::int32_t) +
                              format.texts.size() * sizeof(TextField));
  Columns columns{{}, format.min_columns, format.max_columns};
  bool is_first = true;
  for (std::string_view line; reader.next(line);) {
    if (line.empty()) continue;
    const auto fields = fields_of(line);
    if (std::exchange(is_first, false)) {
      if (const auto named = read_header(fields, reader, format, rows)) {
        columns = *named;
        continue;
      }
    }
    append_row(rows, reader, line, fields, columns, format.expected);
    columns.min = columns.max = fields.size();
  }
  if (rows.lines.empty()) {
    throw Error(ErrorKind::data, shown(path) + " holds no numbers", "give " + format.expected);
  }
  return rows;
}

}  // namespace minimod
