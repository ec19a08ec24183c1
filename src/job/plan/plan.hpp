/// The plan that all shots of a run share, decided before a device is touched: a chain of values. None of
/// them is changed when it is made. The last one, SurveyPlan (survey_plan.hpp), has the shots.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/io/gather/midpoints.hpp"
#include "src/job/gradient/velocity_change.hpp"
#include "src/job/plan/layer_choice.hpp"
#include "src/job/plan/snapshot_plan.hpp"
#include "src/job/plan/time_plan.hpp"
#include "src/job/shot/shot.hpp"

namespace minimod {

/// A model on its grid, with a layer around it that is not made for its waves yet.
struct Ground {
  StepProblem domain;
  std::shared_ptr<const SampledMedium> medium;
};

/// The shots that the options name, as they are placed on the ground.
struct Acquisition {
  std::vector<ShotGeometry> shots;
  std::shared_ptr<const Injection> injection;  ///< as a Shot has it
  std::vector<std::string> notes;
};

/// Signals that are fed, and what the grid must resolve of them.
struct Signals {
  std::map<std::string, std::shared_ptr<const Wavelet>> wavelets;  ///< wavelets of all shots, by wavelet_name
  double max_frequency = 0;                                        ///< Hz; the highest f_max of the wavelets
  double peak_frequency = 0;         ///< Hz, of that wavelet; of one without a peak, where it ends over 2.5
  double points_per_wavelength = 0;  ///< at f_max where the velocity is least
};

struct RunPlan {
  Problem problem;  ///< not cut
  std::shared_ptr<const SampledMedium> medium;
  Signals signals;
  std::shared_ptr<const Injection> injection;    ///< as a Shot has it
  std::shared_ptr<const VelocityChange> change;  ///< shots are Born's for it; null: as they are
  Interpolation interpolation = Interpolation::nearest;
  TimeZero time_zero = TimeZero::onset;
  double dt_limit = 0;             ///< s
  MidpointBins midpoints;          ///< numbers of common midpoints, of all shots
  SnapshotPlan snapshots;          ///< without steps where none are wanted
  std::string command_line;        ///< command line that the run was started with
  std::vector<std::string> notes;  ///< notes for the user before it runs, a line each

  [[nodiscard]] const Grid& grid() const { return problem.grid(); }
  [[nodiscard]] const TimeAxis& time() const { return problem.time; }
  /// How much too late a wave of the peak frequency arrives at such an offset (m) where the velocity is
  /// least, s.
  [[nodiscard]] double predicted_phase_error(double offset) const;
  /// The share of a weak reflection at f_max and normal incidence that the medium's band keeps, 0 to 1; none
  /// where the nodes have the model's own values.
  [[nodiscard]] std::optional<double> kept_of_reflection() const;
  /// Differences of this run from where it was measured, in words; empty where nothing is.
  [[nodiscard]] std::string other_than_measured() const;
};

/// Columns of a medium beyond V.
[[nodiscard]] MediumColumns columns_of(const SampledMedium& medium);
/// The speeds of the fastest and the slowest waves, in whatever direction, m/s.
[[nodiscard]] double fastest_of(const SampledMedium& medium, Equation equation);
[[nodiscard]] double slowest_of(const SampledMedium& medium, Equation equation);

/// Error 64 for what linearised modelling does not have: it takes drives, which whole domains of the wave
/// equation have.
void check_change_options(const ShotOptions& options);

/// Makes the ground. The medium of a domain that is to be cut into `parts` has no values yet
/// (SampledMedium::hold). Errors: 64 options that contradict each other, 65 data and physics, 66 missing
/// files.
[[nodiscard]] Ground make_ground(const ShotOptions& options, const LayerChoice& layer, int parts);

/// Plans what all shots share: their wavelets, each of which is read once, the steps, the layer, and whether
/// positions are interpolated. Errors: those of the wavelets and of make_time_axis; 65 too few points per
/// wavelength.
[[nodiscard]] RunPlan make_plan(const ShotOptions& options, const Ground& ground, const TimeStep& step,
                                const Acquisition& acquisition);

}  // namespace minimod
