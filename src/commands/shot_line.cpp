#include "src/commands/shot_line.hpp"

#include <CLI/CLI.hpp>

#include "src/base/error.hpp"
#include "src/commands/option_groups.hpp"

namespace minimod {

void add_shot(OptionTable& table, ShotOptions& options) {
  options.command_line = table.command_line();
  table.config(groups::run);
  add_kernels(table, options.kernels, one_kernel);
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

ShotOptions parse_shot(const std::string& line) {
  CLI::App app;
  OptionTable table(app, line);
  ShotOptions options;
  add_shot(table, options);
  try {
    app.parse(line);
  } catch (const CLI::ParseError& wrong) {
    throw Error(ExitCode::usage, text(wrong.what(), " in '", escaped(line), "'"),
                "minimod --help lists the options");
  }
  return options;
}

}  // namespace minimod
