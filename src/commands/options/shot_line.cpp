#include "src/commands/options/shot_line.hpp"

#include <CLI/CLI.hpp>

#include "src/base/error.hpp"
#include "src/commands/options/option_groups.hpp"

namespace minimod {

void add_shot(OptionTable& table, ShotOptions& options) {
  options.command_line = table.command_line();
  table.config(groups::run);
  add_kernels(table, options.kernels, one_kernel);
  add_equation(table, options.kernels);
  add_emulate(table, options.kernels);
  add_order(table, options.kernels);
  add_stencil_weights(table, options.grid);
  add_precision(table, options.kernels);
  add_decomposition(table, options.kernels);
  add_grid(table, options.grid);
  add_model(table, options.model, options.grid);
  add_acquisition(table, options.acquisition);
  add_boundary(table, options.boundary);
  add_layer_width(table, options.boundary);
  add_layer_velocity(table, options.boundary);
  add_layer_alpha(table, options.boundary);
  add_time(table, options.time);
  add_snapshots(table, options.snapshots);
  add_output(table, options.output);
  add_work(table, options.work);
  add_ranks(table, options.ranks);
  add_slabs(table, options.ranks);
}

void refuse_without_sources(const ShotOptions& options) {
  if (!options.acquisition.sources.empty()) return;
  const auto refuse = [](bool is_given, const char* option, const char* remedy) {
    if (is_given) throw Error(ErrorKind::parameter, text(option, " is given without --sources"), remedy);
  };
  const WorkOptions& work = options.work;
  refuse(work.ranks_per_shot.has_value(), "--ranks-per-shot", "one shot takes --ranks");
  refuse(work.workers.has_value(), "--workers", "one shot has one worker: leave it out");
  refuse(work.share.has_value(), "--worker", "one shot has one worker: leave it out");
  refuse(options.acquisition.receivers_move, "--receivers-move", "give those, or leave it out");
  refuse(options.acquisition.shots.has_value(), "--shots", "give those, or leave it out");
}

ShotOptions parse_shot(const std::string& line) {
  CLI::App app;
  OptionTable table(app, line);
  ShotOptions options;
  add_shot(table, options);
  try {
    app.parse(line);
  } catch (const CLI::ParseError& wrong) {
    throw Error(ErrorKind::parameter, text(wrong.what(), " in '", escaped(line), "'"),
                "minimod --help lists the options");
  }
  return options;
}

}  // namespace minimod
