#include <memory>

#include "src/base/parse.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/measure/bench.hpp"
#include "src/ranks/start.hpp"

namespace minimod {

namespace {

StencilMeasureOptions measured_stencils(const std::vector<std::string>& given, const std::string& stencils,
                                        const MeasureOptions& measure) {
  StencilMeasureOptions options =
      stencils_measured(given,
                        {"--kernel", "--device", "--threads", "--precision", "--grid", "--steps", "--repeats",
                         "--json", "--csv", "--force"},
                        stencils, measure.kernels);
  options.grid = measure.grid.grid;
  options.steps = measure.steps;
  return options;
}

std::function<void()> prepare_bench(OptionTable& table) {
  const auto options = std::make_shared<BenchOptions>();
  const auto stencils = std::make_shared<std::string>();
  BenchOptions& o = *options;
  add_stencils(table, *stencils);
  add_measured(table, o.measure);
  add_order(table, o.measure.kernels);
  add_precision(table, o.measure.kernels);
  add_equation(table, o.measure.kernels);
  add_boundary(table, o.measure.boundary);
  add_steps(table, o.measure.steps);
  table.value("--repeats", "N", groups::measuring, "runs of each shape after a warm-up run (5)",
              [&o](const auto& v, const auto& name) { o.repeats = parse_int(v, name, 1); });
  add_ranks(table, o.ranks);
  add_slabs(table, o.ranks);
  add_json(table, o.files.json);
  table.value("--csv", "FILE", groups::output, "write a table, a shape a line", o.files.csv);
  add_force(table, o.files.force, "replace a record and a table that are there; never another file");
  return [options, stencils, given = table.given()] {
    const ReportFiles& files = options->files;
    refuse_force_without(files.force, {files.json, files.csv}, "--json or --csv");
    if (!stencils->empty()) {
      options->stencil = measured_stencils(*given, *stencils, options->measure);
      return bench_stencils(*options);
    }
    start_ranks(options->ranks, Ranks::world());
    bench_waves(*options);
  };
}

}  // namespace

Command bench_command() {
  return {"bench", "verify code shapes and measure their speed", prepare_bench, true};
}

}  // namespace minimod
