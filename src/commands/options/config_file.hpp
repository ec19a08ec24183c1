/// Options from a TOML file: `--config survey.toml`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace minimod {

/// Reads keys with the names of a command's options; what the command line gives wins. Errors 65, as
/// file:line: a key that is no option, one that comes twice, a table, a flag that is neither true nor false,
/// a line that is nothing of it.
class ConfigFile final : public CLI::ConfigTOML {
 public:
  /// Config file for the options of `app`, which gets a `--config` in `group`.
  static std::shared_ptr<ConfigFile> add_to(CLI::App& app, const char* group);

  [[nodiscard]] std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;
  /// Line on which the file gives `option` ("--grid") this value; 0 where it does not.
  [[nodiscard]] int line_of(const std::string& option, const std::string& value) const;
  /// As it was given; empty where none was.
  [[nodiscard]] std::string path() const;

 private:
  explicit ConfigFile(CLI::App& app) : app_(app) {}
  void check(const CLI::ConfigItem& item, int line, bool is_given_twice) const;
  void check_all_read(const std::vector<std::string_view>& lines, std::size_t begin, std::size_t end) const;

  CLI::App& app_;
  mutable std::map<std::string, std::pair<std::string, int>> given_;  ///< by option: value, line
};

}  // namespace minimod
