/// The options that several commands hear, a file a group; a command adds those that it hears to its table.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "src/commands/options/option_table.hpp"
#include "src/measure/measure_options.hpp"
#include "src/measure/stencils/stencil_measurement.hpp"

namespace minimod {

/// Points; far more than any memory holds, and sums of such stay in an int.
inline constexpr int longest_axis = 1'000'000;

// ---- run_options.cpp ----

/// --kernel, whose value `kernel_help` explains, --pml-kernel, --device, --threads, --schedule.
void add_kernels(OptionTable& table, KernelOptions& options, const char* kernel_help);
/// --order.
void add_order(OptionTable& table, KernelOptions& options);
void add_stencil_weights(OptionTable& table, GridOptions& options);
void add_precision(OptionTable& table, KernelOptions& options);
void add_equation(OptionTable& table, KernelOptions& options);
/// --device and --threads, which are among those of add_kernels.
void add_device(OptionTable& table, KernelOptions& options);
void add_emulate(OptionTable& table, KernelOptions& options);
void add_decomposition(OptionTable& table, KernelOptions& options);
/// For commands that run one kernel.
inline constexpr const char* one_kernel = "code shape of all kernels, or auto (minimod kernels lists them)";

// ---- stencil_options.cpp ----

/// --stencil.
void add_stencils(OptionTable& table, std::string& stencils);
/// Options of a measurement with --stencil, but for grid and steps: `heard` are the options that a command
/// hears with it. Error 64 where another one is given.
[[nodiscard]] StencilMeasureOptions stencils_measured(const std::vector<std::string>& given,
                                                      std::initializer_list<std::string_view> heard,
                                                      const std::string& stencils,
                                                      const KernelOptions& kernels);

// ---- rank_options.cpp ----

/// --ranks and what belongs to it.
void add_ranks(OptionTable& table, RankOptions& options);
/// --slabs.
void add_slabs(OptionTable& table, RankOptions& options);

// ---- model_options.cpp ----

/// --grid and --spacing.
void add_grid(OptionTable& table, GridOptions& options);
/// The model's file and how it is cut to size.
void add_model(OptionTable& table, ModelSpec& model, GridOptions& grid);

// ---- acquisition_options.cpp ----

void add_acquisition(OptionTable& table, AcquisitionOptions& options);

// ---- boundary_options.cpp ----

/// --boundary and --free-surface.
void add_boundary(OptionTable& table, BoundaryOptions& options);
void add_layer_width(OptionTable& table, BoundaryOptions& options);
void add_layer_velocity(OptionTable& table, BoundaryOptions& options);
void add_layer_alpha(OptionTable& table, BoundaryOptions& options);

// ---- time_options.cpp ----

void add_steps(OptionTable& table, std::optional<int>& steps);
void add_warmup(OptionTable& table, std::optional<int>& warmup);
void add_profile_range(OptionTable& table, std::optional<StepRange>& range);
/// All of the group.
void add_time(OptionTable& table, TimeOptions& options);

// ---- measuring_options.cpp ----

/// The problem that is measured: kernels, grid, width of the layer, field, warm-up.
void add_measured(OptionTable& table, MeasureOptions& options);

// ---- snapshot_options.cpp ----

/// --snapshot-every and what belongs to it.
void add_snapshots(OptionTable& table, SnapshotOptions& options);

// ---- output_options.cpp ----

/// The flag of what is listed for scripts.
void add_as_json(OptionTable& table, bool& as_json);
/// The file of the record.
void add_json(OptionTable& table, std::string& file);
/// The flag that lets files of the same kind be replaced.
void add_force(OptionTable& table, bool& force, const char* help);
/// Error 64 where the flag is given without any of these files.
void refuse_force_without(bool force, std::initializer_list<std::string_view> files, const char* options);
/// Adds the options of single formats.
void add_format_options(OptionTable& table, FormatOptions& options,
                        const GatherFormats& formats = gather_formats());
void add_folder(OptionTable& table, std::string& folder, const char* help);
/// All of the group.
void add_output(OptionTable& table, OutputOptions& options);
/// Who runs the shots of a survey.
void add_work(OptionTable& table, WorkOptions& options);

}  // namespace minimod
