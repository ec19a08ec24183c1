#include <algorithm>
#include <memory>

#include "src/base/error.hpp"
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
                         "--seconds", "--no-energy", "--json", "--csv", "--force"},
                        stencils, measure.kernels);
  options.grid = measure.grid.grid;
  options.steps = measure.steps;
  return options;
}

void refuse_seconds_with_repeats(const std::vector<std::string>& given) {
  const auto is_given = [&](const char* name) { return std::ranges::count(given, name) > 0; };
  if (!is_given("--seconds") || !is_given("--repeats")) return;
  throw Error(ErrorKind::parameter, "--seconds is given with --repeats", "give one of them");
}

void add_runs(OptionTable& table, BenchOptions& o) {
  table.value("--repeats", "N", groups::measuring,
              "so many runs of each shape after a warm-up run (at least 5, until the median is known within "
              "0.5 %)",
              [&o](const auto& v, const auto& name) { o.runs.exactly = parse_int(v, name, 1); });
  table.value("--seconds", "S", groups::measuring, "end of the runs of a shape without --repeats (10)",
              [&o](const auto& v, const auto& name) { o.runs.seconds = parse_positive(v, name); });
  table.flag("--no-energy", groups::measuring,
             "do not measure energy, for which runs are made to last a second", o.no_energy);
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
  add_runs(table, o);
  add_ranks(table, o.ranks);
  add_slabs(table, o.ranks);
  add_json(table, o.files.json);
  table.value("--csv", "FILE", groups::output, "write a table, a shape a line", o.files.csv);
  add_force(table, o.files.force, "replace a record and a table that are there; never another file");
  return [options, stencils, given = table.given()] {
    const ReportFiles& files = options->files;
    refuse_seconds_with_repeats(*given);
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
