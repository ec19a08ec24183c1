/// Everything about a run that is decided before a device is touched.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "boundary/measured_reflection.hpp"
#include "models/sampled_medium.hpp"
#include "src/io/gather/midpoints.hpp"
#include "src/job/geometry/acquisition.hpp"
#include "src/job/plan/injection.hpp"
#include "src/job/plan/shot_options.hpp"
#include "src/job/plan/snapshot_plan.hpp"
#include "src/ranks/problem.hpp"
#include "src/solver/propagator.hpp"
#include "src/wavelets/wavelet.hpp"

namespace minimod {

struct PlannedSource {
  Point3 position;  ///< m, as asked for
  Index3 node;      ///< the nearest, also where the interpolation takes more
  std::shared_ptr<const Wavelet> wavelet;
  double amplitude = 1;  ///< times the wavelet

  /// s(t) at the time steps.
  [[nodiscard]] std::vector<double> samples() const;
};

/// The loudest echo of the absorbing layer that is expected at a receiver (src/job/plan/expected_echo.hpp).
struct ExpectedEcho {
  double decibel = 0;  ///< of the direct wave there
  Point3 source, receiver;
  std::string face;         ///< that sends back most of it
  std::optional<int> shot;  ///< its number, of several
};

/// What is fed into a problem, and where it is recorded: one of the shots that a plan is for.
struct Shot {
  int number = first_shot_number;
  std::vector<PlannedSource> sources;
  std::vector<Point3> receivers;       ///< m, as asked for
  std::vector<std::int64_t> stations;  ///< numbers that the field gave them; empty: none
  std::vector<Index3> receiver_nodes;  ///< the nearest
  Moves moves;                   ///< of the positions to their nearest nodes; 0 where they are interpolated
  double scale = 1;              ///< of run_scale.hpp: u over the run's
  int receivers_on_surface = 0;  ///< of a free surface, where u is 0

  /// Wavelet of the first source, or the one that stands for all injected traces.
  [[nodiscard]] const Wavelet& wavelet() const { return *sources.front().wavelet; }
  /// The steps before the last wavelet's end.
  [[nodiscard]] int signal_end() const;
};

/// What all shots of a survey share, and one of them.
struct RunPlan {
  Problem problem;  ///< with its boundary's profiles and frequency when the wavelets are planned
  std::shared_ptr<const SampledMedium> medium;
  Box3 model_box;       ///< the points of the model; the absorbing layer lies around it
  double dt_limit = 0;  ///< s
  int steps = 0;
  TimeZero time_zero = TimeZero::onset;
  double first_time = 0;  ///< s, of the run's first step: 0, or before it where the wavelets begin there
  int warmup = 0;         ///< first steps, which the measured speed leaves out
  int record_every = 1;   ///< steps between two samples of a trace
  TimeDispersion dispersion = TimeDispersion::as_is;
  std::optional<ExpectedEcho> echo;                                ///< of the shot, or of a survey's worst
  std::string layer_rule;                                          ///< as in LayerChoice
  std::map<std::string, std::shared_ptr<const Wavelet>> wavelets;  ///< of all shots, by wavelet_name
  double max_frequency = 0;                                        ///< Hz; the highest f_max of the wavelets
  double points_per_wavelength = 0;                                ///< at f_max where the velocity is least
  double peak_frequency = 0;  ///< Hz, of that wavelet; of one without a peak, where it ends over 2.5
  Interpolation interpolation = Interpolation::nearest;
  MidpointBins midpoints;          ///< numbers of common midpoints, of all shots
  SnapshotPlan snapshots;          ///< without steps where none are wanted
  bool default_line = false;       ///< no receivers were asked for
  std::string command_line;        ///< that the run was started with
  std::string date;                ///< of its start, UTC, ISO 8601
  std::string configuration;       ///< hash_of of a shot that is run alone, which knows it when it begins
  std::vector<std::string> notes;  ///< what the user should know before it runs, a line each

  std::shared_ptr<const Injection>
      injection;  ///< what the sources feed in place of their wavelet; null: that

  Shot shot;  ///< one of those that all above was planned for (placing.hpp)

  [[nodiscard]] const Grid& grid() const { return problem.domain.grid; }
  /// The medium beyond V of the domain.
  [[nodiscard]] MediumColumns columns() const;
  /// All of it, for a propagator.
  [[nodiscard]] MediumPlanes planes() const;
  /// The speeds of the fastest and the slowest waves, in whatever direction, m/s.
  [[nodiscard]] double fastest() const;
  [[nodiscard]] double slowest() const;
  [[nodiscard]] RunTimes times() const { return {problem.dt, steps, first_time, dispersion}; }
  /// Samples of each trace, the first step's included.
  [[nodiscard]] int samples() const { return steps / record_every + 1; }
  /// s(t) of source i at the time steps.
  [[nodiscard]] std::vector<double> samples_of(std::size_t i) const;
  /// What the scheme is given in their place, over the scale, also when the plan is no more.
  [[nodiscard]] std::function<std::vector<double>(std::size_t i)> feed() const;
  /// From a source to the receiver farthest from it, m; of more than 10^7 pairs no less than that.
  [[nodiscard]] double greatest_offset() const;
  /// How much too late a wave of the peak frequency arrives there where the velocity is least, s.
  [[nodiscard]] double predicted_phase_error() const;
  /// The share of a weak reflection at f_max and normal incidence that the medium's band keeps, 0 to 1; none
  /// where the nodes have the model's own values.
  [[nodiscard]] std::optional<double> kept_of_reflection() const;
  /// What such a layer was measured to reflect; nothing without a layer.
  [[nodiscard]] std::optional<Reflection> reflection() const;
  /// What is other in this run than where it was measured, in words; empty where nothing is.
  [[nodiscard]] std::string other_than_measured() const;
  /// Of the point (0, 0, 0) of the inner box. An extruded section lies in the plane of the middle points,
  /// where the default source is.
  [[nodiscard]] FileCoordinates file_coordinates() const;
  /// Where the run is fed or recorded for a position (m).
  [[nodiscard]] NodeWeights place_of(Point3 position) const;
  [[nodiscard]] NodeWeights place_of(const PlannedSource& source) const;
  /// The position that is: that of the nearest node, or the very one.
  [[nodiscard]] Point3 position_of(Point3 wanted, Index3 node) const;
  [[nodiscard]] Point3 source_position(std::size_t i) const;
  [[nodiscard]] Point3 receiver_position(std::size_t i) const;
};

/// Extent of the model's nodes, m.
[[nodiscard]] Point3 extent_of(const RunPlan& plan);

/// Steps and samples, of which --tmax has those from t = 0 on, and the snapshots, when it is known where the
/// run begins. Errors: 64, 65 what does not fit the steps.
void plan_steps(RunPlan& plan, const ShotOptions& options);

/// What no shot decides: model, grid and time step. Of a domain that is to be cut into `parts` the
/// medium has no values yet (SampledMedium::hold). Errors: 64 options that contradict each other, 65 data and
/// physics, 66 missing files.
[[nodiscard]] RunPlan make_shared_plan(const ShotOptions& options, int parts = 1);

/// The plan of a single shot, which is placed. Errors: those of make_shared_plan, plan_shots and place_shot.
[[nodiscard]] RunPlan make_plan(const ShotOptions& options, int parts = 1);

}  // namespace minimod
