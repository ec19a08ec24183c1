/// The command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "boundary/boundary.hpp"
#include "boundary/decomposition.hpp"
#include "kernels/grid.hpp"
#include "models/velocity_model.hpp"
#include "src/device/profiling.hpp"
#include "src/solver/interpolation.hpp"
#include "src/solver/schedules.hpp"

namespace minimod {

/// Which device a run takes.
struct DeviceOption {
  enum class Kind { automatic, cpu, cuda } kind = Kind::automatic;
  int index = 0;  ///< of the GPU
};

/// The wavefield that a benchmark's kernels work on; never zeros, which some hardware adds faster.
enum class BenchField {
  random,  ///< every point another value
  source,  ///< a wave that has crossed the grid
};

/// What the user asked for, checked as far as one option alone can be. Lengths in m, times in s.
struct Options {
  enum class Command { run, kernels, info, bench, roofline, verify } command = Command::run;

  ModelSpec model;  ///< `source` empty: the homogeneous reference case
  std::optional<Extent3> grid;
  std::optional<Point3> spacing;
  std::optional<int> pml_width;
  std::optional<double> pml_velocity;
  BoundaryKind boundary = BoundaryKind::pml;
  bool free_surface = false;
  std::optional<int> extrude;

  std::optional<double> dt;  ///< nothing: from the stability limit
  std::optional<int> steps;
  std::optional<double> tmax;
  std::optional<double> record_dt;
  bool allow_dispersion = false;

  std::optional<Point3> source;
  std::string wavelet = "ricker:f=10";
  std::string receivers;  ///< empty: a line along x
  Interpolation interpolation = Interpolation::nearest;

  std::string kernel = "auto";
  std::string pml_kernel;  ///< empty: as `kernel`
  DeviceOption device;
  bool emulate = false;
  Decomposition decomposition = Decomposition::seven;
  const Schedule* schedule = nullptr;  ///< null: what the kernels are made for

  std::string output = ".";
  std::string json;                 ///< file of the record, empty for none
  bool force = false;               ///< overwrite an existing gather
  int repeats = 5;                  ///< `bench`: timed runs of each shape
  std::optional<BenchField> field;  ///< `bench`, `roofline`: nothing for what the command takes by itself
  std::string csv;                  ///< `bench`: file of the table, empty for none
  std::optional<int> warmup;        ///< steps before those that are measured
  std::optional<StepRange> profile_range;  ///< what a profiler is switched on for
  bool no_counters = false;                ///< `roofline`: leave hardware counters where they are
  bool strict = false;                     ///< `roofline`: a failed check is an error
  bool as_json = false;                    ///< `kernels` and `info`: for scripts
  std::vector<std::string> cases;          ///< `verify`: names, or "all"; none for the light ones
  std::string plot;                        ///< `verify`: folder of the curves, empty for none
  bool list = false;                       ///< `verify`: the cases instead of running them
};

/// "random" or "source".
[[nodiscard]] std::string field_name(BenchField field);

/// "pml", "cpml" or "sponge".
[[nodiscard]] std::string boundary_name(BoundaryKind kind);

/// "nearest", "sinc" or "sinc8".
[[nodiscard]] std::string interpolation_name(Interpolation interpolation);

/// "seven", "two" or "one".
[[nodiscard]] std::string decomposition_name(Decomposition decomposition);

/// Reads the command line. Prints help or the version and returns nothing when that was asked for. Error 64
/// for everything that is wrong.
[[nodiscard]] std::optional<Options> parse_options(int argc, const char* const* argv);

}  // namespace minimod
