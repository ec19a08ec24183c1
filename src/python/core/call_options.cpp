#include "src/python/core/call_options.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <CLI/CLI.hpp>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/commands/options/option_table.hpp"
#include "src/commands/options/shot_line.hpp"

namespace minimod {

namespace {

/// Names that calls do not have.
constexpr std::string_view of_programs[] = {
    "help",    "version",        "config",        "threads",          "workers",        "worker",
    "ranks",   "ranks-per-shot", "transport",     "share-gpu",        "slabs",          "source",
    "sources", "shots",          "wavelet",       "receivers",        "receivers-move", "model-dims",
    "json",    "emulate",        "profile-range", "checkpoint-every", "warmup"};

bool is_of_calls(std::string_view name) {
  return std::ranges::find(of_programs, name) == std::end(of_programs);
}

std::string with(std::string name, char from, char to) {
  std::ranges::replace(name, from, to);
  return name;
}

constexpr char mark_of_begin = '\x01', mark_of_end = '\x02';

/// Names that take no value, as CLI11 counts.
bool is_flag(const CLI::Option& option) {
  return option.get_expected_max() == 0 || option.get_type_size_max() == 0;
}

/// Places of the options' values beside the table that fills them.
struct ShotTable {
  explicit ShotTable(const std::string& call) : table(app, call) { add_shot(table, *options); }

  CLI::App app;
  OptionTable table;
  std::unique_ptr<ShotOptions> options = std::make_unique<ShotOptions>();
};

[[noreturn]] void refuse_name(const std::string& name) {
  std::vector<std::string> names;
  for (const CallOption& option : call_options()) names.push_back(option.name);
  throw Error(ErrorKind::parameter, text("unknown option '", escaped(name, 40), "'"),
              text("did you mean ", nearest_names(name, names), "? (minimod.options() lists all)"));
}

}  // namespace

std::vector<CallOption> call_options() {
  ShotTable shot("");
  std::vector<CallOption> all;
  for (const CLI::Option* option : shot.app.get_options()) {
    if (option->get_lnames().empty() || !is_of_calls(option->get_lnames().front())) continue;
    std::string help = option->get_description();
    std::ranges::replace(help, '\n', ' ');
    all.push_back({with(option->get_lnames().front(), '-', '_'),
                   is_flag(*option) ? "" : option->get_type_name(), option->get_group(), help});
  }
  return all;
}

std::unique_ptr<ShotOptions> read_call(const GivenOptions& given, const std::string& call) {
  ShotTable shot(call);
  std::vector<std::string> words;
  for (const auto& [name, value] : given) {
    const std::string typed = with(name, '_', '-');
    if (!is_of_calls(typed) || name.find('-') != name.npos ||
        shot.app.get_option_no_throw("--" + typed) == nullptr)
      refuse_name(name);
    words.push_back(text("--", typed, '=', value));
  }
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    shot.app.parse(std::move(words));
  } catch (const CLI::ParseError& wrong) {
    throw Error(ErrorKind::parameter, escaped(wrong.what(), 160), "minimod.options() lists the options");
  }
  return std::move(shot.options);
}

std::string marked_parameter(std::string_view name) {
  return mark_of_begin + with(std::string(name), '-', '_') + mark_of_end;
}

std::string take_parameter(std::string& message) {
  const std::size_t begin = message.find(mark_of_begin), end = message.find(mark_of_end);
  std::string first;
  if (begin != message.npos && end != message.npos && begin < end)
    first = message.substr(begin + 1, end - begin - 1);
  std::erase_if(message, [](char c) { return c == mark_of_begin || c == mark_of_end; });
  return first;
}

std::string without_marks(std::string message) {
  take_parameter(message);
  return message;
}

}  // namespace minimod
