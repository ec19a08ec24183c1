#include "src/commands/command_line.hpp"

#include <algorithm>
#include <deque>
#include <iostream>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>

#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/files/input_file.hpp"
#include "src/commands/command.hpp"
#include "src/ranks/ranks.hpp"

namespace minimod {

namespace {

constexpr const char* footer =
    "The launcher adds: minimod test (build and run the tests), minimod plot GATHER -o PICTURE,\n"
    "minimod clean (remove what was built), and --no-install (refuse to install packages).";

/// A command with its options as CLI11 reads them, which are made when they are asked for: those of all
/// commands take some milliseconds.
class ParsedCommand {
 public:
  ParsedCommand(Command command, std::string command_line)
      : command_(std::move(command)), command_line_(std::move(command_line)) {}

  [[nodiscard]] const std::string& name() const { return command_.name; }
  [[nodiscard]] const std::string& summary() const { return command_.summary; }
  [[nodiscard]] bool takes_ranks() const { return command_.takes_ranks; }
  [[nodiscard]] const std::function<void()>& run() const { return run_; }
  [[nodiscard]] CLI::App& app() {
    if (app_) return *app_;
    app_.emplace(command_.summary, "minimod " + command_.name);
    OptionTable table(*app_, command_line_);
    run_ = command_.prepare(table);
    app_->allow_extras();
    app_->set_version_flag("--version", "minimod " + build_info().version);
    return *app_;
  }
  /// The option of that name ("--grid", "-g"), null where the command does not hear it.
  [[nodiscard]] const CLI::Option* option(const std::string& name) { return app().get_option_no_throw(name); }

 private:
  Command command_;
  std::string command_line_;
  std::optional<CLI::App> app_;
  std::function<void()> run_;
};

using ParsedCommands = std::deque<ParsedCommand>;

/// The option of the first command that hears it; null where none does.
const CLI::Option* find_option(ParsedCommands& commands, const std::string& name) {
  for (ParsedCommand& command : commands) {
    if (const CLI::Option* option = command.option(name)) return option;
  }
  return nullptr;
}

/// Takes the command's name out of the arguments: the first word that is one and no value of an option. Null
/// where there is none.
ParsedCommand* take_command(ParsedCommands& commands, std::vector<std::string>& arguments) {
  for (auto word = arguments.begin(); word != arguments.end(); ++word) {
    const auto named = std::ranges::find(commands, *word, &ParsedCommand::name);
    if (named != commands.end()) {
      arguments.erase(word);
      return &*named;
    }
    const bool may_take_next = word->starts_with('-') && word->find('=') == std::string::npos;
    const CLI::Option* option = may_take_next ? find_option(commands, *word) : nullptr;
    const bool takes_value = option != nullptr && option->get_items_expected_max() > 0;
    if (takes_value && word + 1 != arguments.end()) ++word;
  }
  return nullptr;
}

/// Error for the first argument that the command does not know: a second command, an option of another one,
/// or a name misspelt.
[[noreturn]] void refuse(ParsedCommand& command, ParsedCommands& all, const std::string& argument) {
  const std::string unknown = argument.substr(0, argument.find('='));
  const std::string help = command.app().get_name() + " --help";
  if (std::ranges::find(all, unknown, &ParsedCommand::name) != all.end()) {
    throw Error(ErrorKind::parameter, text("two commands are given, ", command.name(), " and ", unknown),
                "give one");
  }
  if (unknown.starts_with('-') && find_option(all, unknown) != nullptr) {
    throw Error(ErrorKind::parameter, text(escaped(unknown), " is not heard by ", command.name()),
                help + " lists what is");
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : command.app().get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const ParsedCommand& other : all) names.push_back(other.name());
  throw Error(ErrorKind::parameter, text("unknown argument '", escaped(unknown), "'"),
              text("did you mean ", nearest_names(unknown, names), "? (", help, " lists all)"));
}

/// An argument as bash takes it again.
std::string quoted(const std::string& argument) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) return argument;
  const bool printable = std::ranges::all_of(argument, [](char c) { return c >= ' ' && c <= '~'; });
  std::string word = printable ? "'" : "$'";
  for (const char c : argument) {
    if (c == '\'') {
      word += printable ? "'\\''" : "\\'";
    } else {
      word += !printable && c == '\\' ? "\\\\" : escaped({&c, 1});
    }
  }
  return word + "'";
}

/// All that was typed.
std::string typed(const std::vector<std::string>& arguments) {
  std::string line = "minimod";
  for (const std::string& argument : arguments) line += " " + quoted(argument);
  return line;
}

std::string one_line(std::string message) {
  for (char& c : message) c = c == '\n' ? ' ' : c;
  return escaped(message, 160);
}

/// The first command is what the program does by itself; its help then goes on with the others.
ParsedCommand& without_command(ParsedCommands& all) {
  CLI::App& app = all.front().app();
  for (const ParsedCommand& command : all) app.add_subcommand(command.name(), command.summary());
  app.name("minimod");
  app.description("3-D acoustic wave propagation with a 25-point stencil, code shapes selected by name");
  app.footer(footer);
  return all.front();
}

}  // namespace

void print_note(const std::string& note) {
  std::cerr << "minimod: " + note + '\n';
}

std::function<void()> parse_command_line(int argc, const char* const* argv) {
  ParsedCommands all;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string line = typed(arguments);
  for (const Command& command : all_commands()) all.emplace_back(command, line);
  ParsedCommand* const named = take_command(all, arguments);
  ParsedCommand& command = named != nullptr ? *named : without_command(all);
  CLI::App& app = command.app();
  try {
    std::ranges::reverse(arguments);  // as CLI11 takes them
    app.parse(std::move(arguments));
  } catch (const CLI::Success& asked) {
    app.exit(asked, std::cout);
    return nullptr;
  } catch (const CLI::FileError& missing) {
    (void)InputFile(app.get_config_ptr()->as<std::string>());  // says what is wrong with it
    throw Error(ErrorKind::missing_input, one_line(missing.what()), "give a TOML file of options");
  } catch (const CLI::ParseError& wrong) {
    throw Error(ErrorKind::parameter, one_line(wrong.what()), app.get_name() + " --help lists the options");
  }
  if (const auto rest = app.remaining(); !rest.empty()) refuse(command, all, rest.front());
  if (!command.takes_ranks() && !Ranks::world().is_alone()) {
    throw Error(ErrorKind::parameter,
                text(command.name(), " runs in one process, it is started in ", Ranks::world().size()),
                "start it without mpirun");
  }
  return command.run();
}

}  // namespace minimod
