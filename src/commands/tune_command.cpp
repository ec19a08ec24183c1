#include <algorithm>
#include <iterator>
#include <memory>

#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/tune/tune.hpp"

namespace minimod {

namespace {

/// Above 0, up to 100.
double parse_percent(const std::string& value, const std::string& option) {
  const double percent = parse_positive(value, option);
  if (percent > 100) {
    throw Error(ErrorKind::parameter, text(option, " is '", escaped(value), "'"),
                "give a share in percent, up to 100");
  }
  return percent;
}

/// Error 64 for options of a search, where a record alone is reported on.
void refuse_with_from(const std::vector<std::string>& given) {
  constexpr std::string_view heard[] = {"--from",   "--kernel",  "--model",  "--cutoff",
                                        "--device", "--threads", "--emulate"};
  for (const std::string& option : given) {
    if (std::ranges::find(heard, option) != std::end(heard)) continue;
    throw Error(ErrorKind::parameter, option + " is given with --from, which runs nothing",
                "leave one of them out; --kernel, --model and --cutoff may be there");
  }
}

std::function<void()> prepare_tune(OptionTable& table) {
  const auto options = std::make_shared<TuneOptions>();
  const auto stencils = std::make_shared<std::string>();
  TuneOptions& o = *options;
  add_stencils(table, *stencils);
  table.value("-k,--kernel", "FAMILY", groups::run,
              "family of code shapes whose tiles are searched (minimod kernels lists them); of a stencil "
              "one of minimod stencil (register_tiled)",
              o.kernels.kernel);
  add_order(table, o.kernels);
  add_precision(table, o.kernels);
  add_equation(table, o.kernels);
  add_device(table, o.kernels);
  add_emulate(table, o.kernels);
  table.value("--grid", "N|NX,NY,NZ", groups::measuring,
              "points that the inner kernel is timed on (512,512,256; 64,64,64 on the host)",
              [&o](const auto& v, const auto& name) { o.grid = parse_extent(v, name); });
  table.value("--candidates", "PATTERNS", groups::measuring,
              "only tiles whose names match, as 'in_plane_full_32x*,*_r1x4' (all)", o.patterns);
  table.value("--limit", "N", groups::measuring, "only so many of them, evenly over the space (all)",
              [&o](const auto& v, const auto& name) { o.limit = parse_int(v, name, 1); });
  table.flag("--exhaustive", groups::measuring, "run every candidate (what is done with up to 100)",
             o.exhaustive);
  table.flag("--model", groups::measuring,
             "run those alone that a model of the GPU holds for the fastest (what is done with more)",
             o.model);
  table.value("--cutoff", "PERCENT", groups::measuring, "how many of the candidates --model runs (5)",
              [&o](const auto& v, const auto& name) { o.cutoff = parse_percent(v, name); });
  table.value("--steps", "N", groups::measuring,
              "time steps of a timed run (20), fewer where 10 ms pass before",
              [&o](const auto& v, const auto& name) { o.steps = parse_int(v, name, 1); });
  table.value("--repeats", "N", groups::measuring, "timed runs of each candidate after a warm-up run (7)",
              [&o](const auto& v, const auto& name) { o.repeats = parse_int(v, name, 1); });
  table.value(
      "--objective", "O", groups::measuring,
      "speed, or energy: the most points a joule, of runs that last a second each (speed)",
      [&o](const auto& v, const auto& name) { o.objective = parse_choice(objective_names, v, name); });
  table.value("--from", "FILE", groups::measuring,
              "report on a record that is there, and what a model makes of it; nothing runs", o.from);
  table.value("-o,--output", "FILE", groups::output,
              "the record, written as results come; a search that was stopped goes on with it", o.output);
  add_force(table, o.force, "begin anew where there is a record; never replace another file");
  return [options, stencils, given = table.given()] {
    if (!options->from.empty()) refuse_with_from(*given);
    refuse_force_without(options->force, {options->output}, "--output");
    if (!stencils->empty()) {
      options->stencil = stencils_measured(*given,
                                           {"--kernel", "--device", "--threads", "--precision", "--grid",
                                            "--candidates", "--limit", "--exhaustive", "--model", "--cutoff",
                                            "--steps", "--repeats", "--objective", "--output", "--force"},
                                           *stencils, options->kernels);
    }
    run_tune(*options);
  };
}

}  // namespace

Command tune_command() {
  return {"tune", "search the fastest tile of a family of code shapes", prepare_tune};
}

}  // namespace minimod
