#include "src/commands/options/option_table.hpp"

#include <CLI/CLI.hpp>

#include "src/base/error.hpp"
#include "src/base/number_rows.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/screen.hpp"
#include "src/commands/options/config_file.hpp"

namespace minimod {

namespace {

/// Narrower than what the column of the names leaves of a line: newer CLI11 break at 65 columns by
/// themselves.
constexpr std::size_t help_columns = 65;

std::string broken(const std::string& help) {
  return wrapped(help, "", help_columns);
}

}  // namespace

int parse_int(std::string_view value, std::string_view option, int min, int max) {
  return static_cast<int>(parse_integer(value, option, min, max));
}

void OptionTable::value(const char* names, const char* type, const char* group, const std::string& help,
                        const Read& read) {
  const std::string option = std::string(names).substr(std::string_view(names).find("--"));
  const std::string spelt = minimod::option(option.substr(2));
  app_.add_option_function<std::string>(
          names,
          [read, option, spelt, all = given_, config = config_](const std::string& given) {
            all->push_back(option);
            try {
              read(given, spelt);
            } catch (const Error& wrong) {
              const int line = config == nullptr ? 0 : config->line_of(option, given);
              if (line == 0) throw;
              throw line_error(config->path(), line, 0, wrong.what(), "");
            }
          },
          broken(help))
      ->type_name(type)
      ->group(group);
}

void OptionTable::value(const char* names, const char* type, const char* group, const std::string& help,
                        std::string& target) {
  value(names, type, group, help,
        [&target](const std::string& given, const std::string&) { target = given; });
}

void OptionTable::flag(const char* name, const char* group, const char* help, bool& target) {
  app_.add_flag(name, target, broken(help))
      ->group(group)
      ->each([all = given_, option = std::string(name)](const std::string&) { all->push_back(option); });
}

void OptionTable::config(const char* group) {
  config_ = ConfigFile::add_to(app_, group);
}

void OptionTable::words(const char* name, const char* help, std::vector<std::string>& target) {
  app_.add_option(name, target, broken(help));
}

}  // namespace minimod
