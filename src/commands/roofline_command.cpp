#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/commands/options/typed.hpp"
#include "src/roofline/roofline.hpp"

namespace minimod {

namespace {

std::vector<std::string> call_of(const Parameters& parameters) {
  std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string(), "roofline"};
  for (const auto& [name, value] : parameters) words.insert(words.end(), {as_typed(name), value});
  return words;
}

std::function<void()> prepare_roofline(OptionTable& table) {
  const auto options = std::make_shared<RooflineOptions>();
  options->call = call_of;
  const auto stencils = std::make_shared<std::string>();
  add_stencils(table, *stencils);
  add_measured(table, options->measure);
  add_precision(table, options->measure.kernels);
  add_equation(table, options->measure.kernels);
  add_profile_range(table, options->profile_range);
  table.flag("--no-counters", groups::measuring, "do not ask a profiler for hardware counters",
             options->no_counters);
  table.flag("--strict", groups::measuring, "exit with 65 when a figure fails a check", options->strict);
  add_folder(table, options->folder,
             "folder of the report, made where there is none; a report in it is replaced (the current)");
  return [options, stencils, given = table.given()] {
    if (!stencils->empty()) {
      options->stencil =
          stencils_measured(*given,
                            {"--kernel", "--device", "--threads", "--precision", "--grid", "--warmup",
                             "--profile-range", "--no-counters", "--strict", "--output"},
                            *stencils, options->measure.kernels);
      options->stencil->grid = options->measure.grid.grid;
    }
    run_roofline(*options);
  };
}

}  // namespace

Command roofline_command() {
  return {"roofline", "measure ceilings and kernels of this machine: the roofline report", prepare_roofline};
}

}  // namespace minimod
