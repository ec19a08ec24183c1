#include <memory>

#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/measure/report/machine_report.hpp"

namespace minimod {

namespace {

constexpr double longest_seconds = 86400;

double parse_seconds(const std::string& value, const std::string& option) {
  const double seconds = parse_positive(value, option);
  if (seconds <= longest_seconds) return seconds;
  throw Error(ErrorKind::parameter, text(option, " is ", escaped(value)),
              text("give at most ", longest_seconds));
}

std::function<void()> prepare_report(OptionTable& table) {
  const auto options = std::make_shared<MachineReportOptions>();
  const auto kernels = std::make_shared<KernelOptions>();
  MachineReportOptions& o = *options;
  add_device(table, *kernels);
  table.value("--seconds", "S", groups::measuring, "how long all devices measure, about (60)",
              [&o](const auto& v, const auto& name) { o.seconds = parse_seconds(v, name); });
  table.flag("--no-bench", groups::measuring, "say what is there, and measure nothing", o.no_bench);
  add_json(table, o.json);
  add_force(table, o.force, "replace a record that is there; never another file");
  return [options, kernels] {
    refuse_force_without(options->force, {options->json}, "--json");
    options->device = kernels->device;
    report_machine(*options);
  };
}

}  // namespace

Command report_command() {
  return {"report", "describe build, machine and speed for a bug report or a table", prepare_report};
}

}  // namespace minimod
