#include <algorithm>

#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/commands/options/typed.hpp"

namespace minimod {

namespace {

/// "hdf5, segy (remark) or hdf5,segy".
std::string help_of_formats() {
  const auto name = [](const GatherFormat* format) {
    return text(format->name, *format->remark == 0 ? "" : text(" (", format->remark, ')'));
  };
  return joined(gather_formats(), ", ", name) + " or " + names_of(gather_formats());
}

/// "600", "600s", "10min" or "2h", in s.
double parse_duration(std::string_view value, const std::string& option) {
  constexpr std::pair<std::string_view, double> units[] = {{"min", 60}, {"h", 3600}, {"s", 1}};
  for (const auto& [unit, seconds] : units) {
    if (!value.ends_with(unit)) continue;
    value.remove_suffix(unit.size());
    return parse_not_negative(value, option) * seconds;
  }
  return parse_not_negative(value, option);
}

}  // namespace

void add_as_json(OptionTable& table, bool& as_json) {
  table.flag("--json", groups::output, "for scripts", as_json);
}

void add_json(OptionTable& table, std::string& file) {
  table.value("--json", "FILE", groups::output, "write the record", file);
}

void add_force(OptionTable& table, bool& force, const char* help) {
  table.flag("--force", groups::output, help, force);
}

void refuse_force_without(bool force, std::initializer_list<std::string_view> files, const char* options) {
  const bool has_file = std::ranges::any_of(files, [](std::string_view file) { return !file.empty(); });
  if (!force || has_file) return;
  throw Error(ErrorKind::parameter, text("--force is given without ", options), "name the file to replace");
}

void add_folder(OptionTable& table, std::string& folder, const char* help) {
  table.value("-o,--output", "DIR", groups::output, help, folder);
}

void add_format_options(OptionTable& table, FormatOptions& options, const GatherFormats& formats) {
  for (const GatherFormat* format : formats) {
    for (const FormatOption& one : format->options) {
      table.value(as_typed(one.name).c_str(), "F", groups::output, one.help,
                  [&options, &one](const auto& value, const auto& name) {
                    one.check(value, name);
                    options[one.name] = value;
                  });
    }
  }
}

void add_output(OptionTable& table, OutputOptions& o) {
  add_json(table, o.json);
  table.value(
      "-o,--output", ("DIR|" + files_of(gather_formats(), "|")).c_str(), groups::output,
      "folder of shot_gather.h5, made with its parents where there is none, or the name of the gather's "
      "file (the current folder)",
      o.gather);
  table.value(
      "--format", "F", groups::output,
      text(help_of_formats(), " (what the name of the file says, else ", gather_formats().front()->name, ')')
          .c_str(),
      [&o](const auto& v, const auto& name) { o.formats = parse_formats(v, name); });
  add_format_options(table, o.of_formats);
  table.value("--checkpoint-every", "TIME", groups::output,
              "leave a checkpoint so often, as 600s, 10min or 2h; 0: at a signal alone (600s)",
              [&o](const auto& v, const auto& name) { o.checkpoint_every = parse_duration(v, name); });
  add_force(table, o.force, "replace a gather and a record that are there; never another file");
}

}  // namespace minimod
