/// Decisions of the user about a shot. Lengths in m, times in s.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "boundary/boundary.hpp"
#include "kernels/grid.hpp"
#include "models/velocity_model.hpp"
#include "src/base/choices.hpp"
#include "src/base/error.hpp"
#include "src/choice/kernel_options.hpp"
#include "src/device/profiling.hpp"
#include "src/io/gather_format.hpp"
#include "src/job/geometry/given_shots.hpp"
#include "src/ranks/rank_options.hpp"
#include "src/solver/numerics/interpolation.hpp"
#include "src/wavelets/time_dispersion.hpp"

namespace minimod {

inline constexpr NamedChoice<StarWeights> star_weights_names[] = {{StarWeights::taylor, "taylor"},
                                                                  {StarWeights::minimax, "minimax"}};

struct GridOptions {
  std::optional<Extent3> grid;         ///< points, the absorbing layer included
  std::optional<Point3> spacing;       ///< nothing: the model file's, or 20 m
  std::optional<int> extrude;          ///< points along y that a section is extended to
  std::optional<StarWeights> weights;  ///< nothing: minimax with a model of the user's
};

struct BoundaryOptions {
  std::optional<BoundaryKind> kind;  ///< nothing: as choose_layer says
  std::optional<int> width;          ///< points of the layer
  std::optional<double> velocity;    ///< m/s, V_max of its profile; nothing: the model's
  std::optional<double> alpha;       ///< shift of a pml; nothing: that which its profile asks for
  bool free_surface = false;
};

/// Coordinates that positions are given in: metres from the first node of the inner box, or the model file's
/// coordinates.
enum class CoordinateKind { model, file };
inline constexpr NamedChoice<CoordinateKind> coordinate_names[] = {{CoordinateKind::model, "model"},
                                                                   {CoordinateKind::file, "file"}};

/// Numbers of shots, half open, every `step`-th of those that are there; nothing: from the first, to the
/// last.
struct ShotRange {
  std::optional<int> begin, end;
  int step = 1;
};

inline constexpr double usual_frequency = 10;  ///< Hz, of a Ricker wavelet

struct AcquisitionOptions {
  CoordinateKind coordinates = CoordinateKind::model;
  std::optional<Point3> source;  ///< nothing: the centre
  std::string wavelet;           ///< empty: that of `signature`
  std::string inject;            ///< a gather whose traces are fed; empty: the wavelet is
  bool reverse = false;          ///< feeds traces backward in time
  std::string sources;           ///< sources of a survey; empty: one shot
  std::string receivers;         ///< empty: a line along x
  /// Shots in place of sources, wavelet and receivers; null: those.
  std::shared_ptr<const GivenShots> given;
  bool receivers_move = false;                 ///< positions relative to each shot's first source
  std::optional<ShotRange> shots;              ///< shots of a survey; nothing: all
  std::optional<Interpolation> interpolation;  ///< nothing: nearest where that is where they are, else sinc4
  bool allow_dispersion = false;

  [[nodiscard]] std::string signature() const {
    return wavelet.empty() ? text("ricker:f=", usual_frequency) : wavelet;
  }
};

/// Meaning of t = 0: the first step, or the greatest |s| of the first source's wavelet, before which the run
/// begins.
enum class TimeZero { onset, peak };
inline constexpr NamedChoice<TimeZero> time_zero_names[] = {{TimeZero::onset, "onset"},
                                                            {TimeZero::peak, "peak"}};

struct TimeOptions {
  TimeZero zero = TimeZero::onset;
  std::optional<double> dt;  ///< nothing: from the stability limit
  std::optional<int> steps;
  std::optional<double> tmax;  ///< from t = 0 on
  std::optional<double> record_dt;
  std::optional<TimeDispersion> dispersion;  ///< nothing: corrected with a model of the user's
  std::optional<int> warmup;                 ///< first steps, which the measured speed leaves out
  std::optional<StepRange> profile_range;    ///< steps for which a profiler is switched on
};

/// The first and the last coordinate along an axis, m; nothing: the inner box's.
struct CoordinateRange {
  std::optional<double> first, last;
};
using SnapshotBox = std::array<CoordinateRange, 3>;  ///< x, y, z

/// Snapshots of the wavefield, where one of the first two is given.
struct SnapshotOptions {
  std::optional<double> seconds;  ///< between two of them
  std::optional<int> steps;       ///< between two of them
  std::optional<SnapshotBox> box;
  std::optional<Index3> stride;  ///< stride of the nodes that are kept
  [[nodiscard]] bool wanted() const { return seconds || steps; }
};

struct OutputOptions {
  std::string gather = ".";              ///< a folder, or a file's name with the suffix of a format
  std::string name = "shot_gather.h5";   ///< name of the file in the folder
  std::optional<GatherFormats> formats;  ///< nothing: what the file's name says, else the first one
  FormatOptions of_formats;
  std::string json;               ///< file of the record, empty for none
  bool force = false;             ///< overwrite an existing gather and record
  double checkpoint_every = 600;  ///< s; 0: at a signal alone
};

/// Worker `index` of `count` that share a survey, as a cluster's job array starts them.
struct WorkerShare {
  int index = 0, count = 1;
};

/// Who runs the shots of a survey.
struct WorkOptions {
  std::optional<int> workers;         ///< processes on the CPU; nothing: one
  std::optional<WorkerShare> share;   ///< nothing: all of it
  std::optional<int> ranks_per_shot;  ///< ranks that compute a shot together; nothing: one
  [[nodiscard]] int ranks() const { return ranks_per_shot.value_or(1); }
};

struct ShotOptions {
  ModelSpec model;  ///< `source` empty: the homogeneous reference case
  /// Change of its velocities: traces are what it adds to them to first order; `source` empty: the model's.
  ModelSpec change;
  GridOptions grid;
  BoundaryOptions boundary;
  AcquisitionOptions acquisition;
  TimeOptions time;
  SnapshotOptions snapshots;
  OutputOptions output;
  WorkOptions work;
  RankOptions ranks;
  KernelOptions kernels;
  std::string command_line;  ///< command line that the run was started with
};

/// Whether a run is the papers' reference case, whose defaults are theirs: it is without a model of the
/// user's, whose runs have the defaults that make a right gather.
[[nodiscard]] inline bool is_papers_case(const ShotOptions& options) {
  return options.model.source.empty();
}

}  // namespace minimod
