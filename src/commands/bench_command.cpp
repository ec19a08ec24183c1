#include <memory>

#include "src/base/parse.hpp"
#include "src/commands/command.hpp"
#include "src/commands/option_groups.hpp"
#include "src/measure/bench.hpp"
#include "src/measure/stencil_bench.hpp"
#include "src/ranks/start.hpp"

namespace minimod {

namespace {

StencilBenchOptions stencil_bench(const std::vector<std::string>& given, const std::string& stencils,
                                  const BenchOptions& o) {
  StencilBenchOptions options;
  options.measure = stencils_measured(given,
                                      {"--kernel", "--device", "--threads", "--precision", "--grid",
                                       "--steps", "--repeats", "--json", "--csv", "--force"},
                                      stencils, o.measure.kernels);
  options.measure.grid = o.measure.grid.grid;
  options.measure.steps = o.measure.steps;
  options.repeats = o.repeats;
  options.json = o.json;
  options.csv = o.csv;
  options.force = o.force;
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
  add_json(table, o.json);
  table.value("--csv", "FILE", groups::output, "write a table, a shape a line", o.csv);
  add_force(table, o.force, "replace a record and a table that are there; never another file");
  return [options, stencils, given = table.given()] {
    refuse_force_without(options->force, {options->json, options->csv}, "--json or --csv");
    if (!stencils->empty()) return bench_stencils(stencil_bench(*given, *stencils, *options));
    start_ranks(options->ranks, Ranks::world());
    run_bench(*options);
  };
}

}  // namespace

Command bench_command() {
  return {"bench", "verify code shapes and measure their speed", prepare_bench, true};
}

}  // namespace minimod
