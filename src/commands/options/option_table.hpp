/// The options that a command hears, each with the function that reads its value.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace minimod {

class ConfigFile;

/// Headings of `--help`.
namespace groups {
inline constexpr const char* run = "Run";
inline constexpr const char* model = "Model";
inline constexpr const char* acquisition = "Source and receivers";
inline constexpr const char* boundary = "Boundary";
inline constexpr const char* time = "Time";
inline constexpr const char* measuring = "Measuring";
inline constexpr const char* inversion = "Inversion";
inline constexpr const char* output = "Output";
}  // namespace groups

/// An integer from `min` to `max`. Error 64.
[[nodiscard]] int parse_int(std::string_view value, std::string_view option, int min,
                            int max = std::numeric_limits<int>::max());

class OptionTable {
 public:
  /// Reads `value` of `option`, which is spelt as its caller spells it: "--grid". Error 64.
  using Read = std::function<void(const std::string& value, const std::string& option)>;

  /// `command_line`: all that was typed.
  OptionTable(CLI::App& app, std::string command_line) : app_(app), command_line_(std::move(command_line)) {}

  [[nodiscard]] const std::string& command_line() const { return command_line_; }

  /// The options that were given, when the command runs: "--grid".
  [[nodiscard]] std::shared_ptr<const std::vector<std::string>> given() const { return given_; }

  /// `names`: "-k,--kernel" or "--kernel"; `type`: what stands for the value in --help.
  void value(const char* names, const char* type, const char* group, const std::string& help,
             const Read& read);
  /// A value that is taken as it is.
  void value(const char* names, const char* type, const char* group, const std::string& help,
             std::string& target);
  void flag(const char* name, const char* group, const char* help, bool& target);
  /// --config, for all options of the table that come after it.
  void config(const char* group);
  /// Words that stand for themselves, as many as there are.
  void words(const char* name, const char* help, std::vector<std::string>& target);

 private:
  CLI::App& app_;
  std::string command_line_;
  std::shared_ptr<std::vector<std::string>> given_ = std::make_shared<std::vector<std::string>>();
  std::shared_ptr<ConfigFile> config_;  ///< null: no such option
};

}  // namespace minimod
