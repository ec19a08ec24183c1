#include "src/commands/options/config_file.hpp"

#include <algorithm>
#include <sstream>

#include "src/base/error.hpp"
#include "src/base/number_rows.hpp"
#include "src/base/parse.hpp"

namespace minimod {

namespace {

constexpr std::size_t most_bytes = 1 << 16;  // CLI11 takes the square of a value's length

std::string content_of(std::istream& input, const std::string& path) {
  std::string content(most_bytes + 1, '\0');
  input.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(input.gcount()));
  if (content.size() > most_bytes) {
    throw Error(ErrorKind::data, text(shown(path), " is larger than 64 KiB"), "give a TOML file of options");
  }
  return content.starts_with("\xEF\xBB\xBF") ? content.substr(3) : content;
}

/// The first of the lines [begin, end) that says something, or `end`, as behind the items of a right file:
/// CLI11 passes over what it takes for none. An array that the line before them has opened goes on to its
/// bracket.
std::size_t find_unread(const std::vector<std::string_view>& lines, std::size_t begin, std::size_t end) {
  const std::string_view before = begin > 0 ? lines[begin - 1] : "";
  const auto closes = [](std::string_view line) { return line.find(']') != line.npos; };
  const auto says = [](std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    return first != line.npos && line[first] != '#';
  };
  auto from = lines.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto to = lines.begin() + static_cast<std::ptrdiff_t>(end);
  if (before.find('[') != before.npos && !closes(before)) {
    from = std::find_if(from, to, closes);
    if (from != to) ++from;
  }
  return static_cast<std::size_t>(std::find_if(from, to, says) - lines.begin());
}

/// Whether a line of the file begins with this key; a table's name begins with a bracket.
bool begins_with(std::string_view line, const std::string& key) {
  const auto skip = [&](std::string_view characters) {
    line.remove_prefix(std::min(line.find_first_not_of(characters), line.size()));
  };
  skip(" \t\"'");
  if (!line.starts_with(key)) return false;
  line.remove_prefix(key.size());
  skip(" \t\r\"'");
  return (line.empty() && !key.empty()) || line.starts_with('=') || line.starts_with('#');
}

}  // namespace

std::shared_ptr<ConfigFile> ConfigFile::add_to(CLI::App& app, const char* group) {
  std::shared_ptr<ConfigFile> file(new ConfigFile(app));
  app.set_config("--config", "", "options from a TOML file (steps = 500); the command line wins")
      ->type_name("FILE.toml")
      ->group(group);
  app.config_formatter(file);
  return file;
}

std::string ConfigFile::path() const {
  const auto& given = app_.get_config_ptr()->results();
  return given.empty() ? "" : given.front();
}

int ConfigFile::line_of(const std::string& option, const std::string& value) const {
  const auto found = given_.find(option);
  return found != given_.end() && found->second.first == value ? found->second.second : 0;
}

void ConfigFile::check(const CLI::ConfigItem& item, int line, bool is_given_twice) const {
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    throw line_error(path(), line, 0, what, remedy);
  };
  if (!item.parents.empty()) {
    refuse(text("'", escaped(item.parents.front(), 40), "' is a table, which options have none of"),
           "give the keys without tables");
  }
  const CLI::Option* const option = app_.get_option_no_throw("--" + item.name);
  if (option == nullptr || !option->get_configurable() || option == app_.get_config_ptr()) {
    std::vector<std::string> names;
    for (const CLI::Option* known : app_.get_options()) {
      if (!known->get_configurable() || known == app_.get_config_ptr()) continue;
      for (const std::string& name : known->get_lnames()) names.push_back(name);
    }
    refuse(text("'", escaped(item.name, 40), "' is no option"),
           text("did you mean ", nearest_names(item.name, names), "?"));
  }
  if (given_.contains("--" + item.name) || is_given_twice) {
    refuse(text("'", item.name, "' is given twice"), "give it once");
  }
  const bool is_flag = option->get_items_expected_max() == 0;
  if (is_flag && item.inputs != std::vector<std::string>{"true"} &&
      item.inputs != std::vector<std::string>{"false"}) {
    refuse(text("'", item.name, "' is neither true nor false"), "give one of them");
  }
}

void ConfigFile::check_all_read(const std::vector<std::string_view>& lines, std::size_t begin,
                                std::size_t end) const {
  const std::size_t unread = find_unread(lines, begin, end);
  if (unread == end) return;
  throw line_error(path(), static_cast<int>(unread) + 1, 0,
                   text("'", escaped(lines[unread], 40), "' is no line of options"),
                   "give key = value, or a comment behind #");
}

std::vector<CLI::ConfigItem> ConfigFile::from_config(std::istream& input) const {
  const std::string content = content_of(input, path());
  std::istringstream stream(content);
  std::vector<CLI::ConfigItem> list = CLI::ConfigTOML::from_config(stream);
  const auto lines = split(content, '\n');
  given_.clear();
  std::size_t line = 0;  // behind that of the last item
  for (CLI::ConfigItem& item : list) {
    const bool is_table = item.name == "++" || item.name == "--";
    const auto is_its = [&](std::string_view text) {
      return is_table ? text.find('[') != text.npos : begins_with(text, item.name);
    };
    auto found = std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(line), lines.end(), is_its);
    // CLI11 makes one item of two that follow each other.
    const auto again = found == lines.end() ? found : std::find_if(found + 1, lines.end(), is_its);
    const bool is_given_twice = !is_table && again != lines.end();
    if (is_given_twice) found = again;
    const std::size_t at = found == lines.end() ? find_unread(lines, line, lines.size())
                                                : static_cast<std::size_t>(found - lines.begin());
    if (!is_given_twice) check_all_read(lines, line, at);
    line = std::min(at + 1, lines.size());
    check(item, static_cast<int>(line), is_given_twice);
    const std::string value = joined(item.inputs, ",");
    item.inputs = {value};  // [300, 41, 200] is 300,41,200
    given_["--" + item.name] = {value, static_cast<int>(line)};
  }
  check_all_read(lines, line, lines.size());
  return list;
}

}  // namespace minimod
