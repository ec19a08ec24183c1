#include "src/base/number_rows.hpp"

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>
#include <utility>

#include "src/base/input_file.hpp"
#include "src/base/parse.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t max_lines = 10'000'000;
constexpr std::size_t max_line_length = 4096;
constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 30;
constexpr std::string_view blanks = " \t\v\f\r";

std::string shown(const fs::path& path) {
  return escaped(path.native(), 70);
}

/// `text` without the blanks at both ends.
std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The fields of one line, as views into it.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  if (line.find(',') != std::string_view::npos) {
    fields = split(line, ',');
    std::ranges::transform(fields, fields.begin(), trimmed);
    return fields;
  }
  for (std::size_t end = 0, begin = 0; (begin = line.find_first_not_of(blanks, end)) != line.npos;) {
    end = std::min(line.find_first_of(blanks, begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
  }
  return fields;
}

/// Whether the fields are the names of the columns, each alone or with the unit m.
bool is_header(const std::vector<std::string_view>& fields, const std::vector<std::string>& names) {
  return std::ranges::equal(fields, names, [](std::string_view field, const std::string& name) {
    std::string bare;
    for (const unsigned char c : field) {
      if (std::isalnum(c) != 0) bare += static_cast<char>(std::tolower(c));
    }
    return bare == name || bare == name + "m";
  });
}

/// Reads a file line by line in bounded memory.
class LineReader {
 public:
  explicit LineReader(const fs::path& path) : file_(path) { check_size(); }

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
  void check_size() {
    std::int64_t lines = 0;
    while (file_.size() <= max_file_bytes && lines <= max_lines) {
      refill();
      const auto found = std::ranges::count(rest_, '\n');
      if (found == 0) break;  // the end, or a line so long that next() refuses it
      lines += found;
      rest_ = {};
    }
    if (file_.size() > max_file_bytes || lines > max_lines) {
      throw Error(ExitCode::data, text("'", shown(path()), "' is larger than 1 GiB or ", max_lines, " lines"),
                  "give a smaller file of numbers");
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
  std::uint64_t offset_ = 0;      ///< of the file, behind what has been read
  std::int32_t number_ = 0;
};

/// Adds the fields of the reader's current line to the rows.
void append_row(NumberRows& rows, const LineReader& reader, std::string_view line,
                const std::vector<std::string_view>& fields, const RowFormat& format) {
  for (const std::string_view field : fields) {
    const auto value = to_number(field);
    if (!value) {
      throw line_error(reader.path(), reader.number(), reader.column(field),
                       "'" + escaped(field, 40) + "' is not a finite number", "give " + format.expected);
    }
    rows.values.push_back(*value);
  }
  const std::size_t min = rows.columns == 0 ? format.min_columns : rows.columns;
  const std::size_t max = rows.columns == 0 ? format.max_columns : rows.columns;
  if (fields.size() < min || fields.size() > max) {
    const std::string limit = min == max ? text(min) : text(min, " to ", max);
    throw line_error(reader.path(), reader.number(), reader.column(line),
                     text("has ", fields.size(), " columns, not ", limit), "give " + format.expected);
  }
  rows.columns = fields.size();
  rows.lines.push_back(reader.number());
}

}  // namespace

Error line_error(const fs::path& path, std::int64_t line, std::size_t column, const std::string& what,
                 const std::string& remedy) {
  const std::string at = column == 0 ? std::string() : text(":", column);
  return {ExitCode::data, text(shown(path), ":", line, at, ": ", what), remedy};
}

NumberRows read_number_rows(const fs::path& path, const RowFormat& format) {
  NumberRows rows;
  LineReader reader(path);
  bool header_allowed = !format.header.empty();
  for (std::string_view line; reader.next(line);) {
    if (line.empty()) continue;
    const auto fields = fields_of(line);
    if (std::exchange(header_allowed, false) && is_header(fields, format.header)) continue;
    append_row(rows, reader, line, fields, format);
  }
  if (rows.lines.empty()) {
    throw Error(ExitCode::data, "'" + shown(path) + "' holds no numbers", "give " + format.expected);
  }
  return rows;
}

}  // namespace minimod
