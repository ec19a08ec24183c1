/// The gradient of a survey's misfit, or of one shot's, by the velocities of the model's nodes, or an image.
#pragma once

#include <optional>
#include <string>

#include "src/job/gradient/misfit.hpp"
#include "src/job/gradient/shot_gradient.hpp"
#include "src/job/plan/shot_options.hpp"

namespace minimod {

/// Parameters that a gradient is by.
enum class GradientBy { velocity, squared_slowness };
inline constexpr NamedChoice<GradientBy> gradient_by_names[] = {{GradientBy::velocity, "v"},
                                                                {GradientBy::squared_slowness, "slowness2"}};

struct ImageOptions {
  ImagingCondition condition = ImagingCondition::cross;
  bool keeps_direct = false;  ///< modelled traces are not taken from the observed ones
  bool compensates = false;   ///< the sum is divided by the source illumination
};

struct GradientOptions {
  std::optional<ImageOptions> image;  ///< nothing: a gradient
  GradientBy by = GradientBy::velocity;
  std::string observed;  ///< a gather, or the folder of a survey
  MisfitOptions misfit;
  std::string trace_weights;     ///< a file of them; empty: none
  std::string residuals;         ///< a file of the one shot's, or a folder; empty: not written
  std::string adjoint_sources;   ///< derivative of a misfit, in place of observed traces, as they are given
  std::optional<double> memory;  ///< GiB for drives and states at most; nothing: most of what is free
  int every = 1;                 ///< steps that one drive stands for; 0: as many as Nyquist allows
};

/// The history that the options ask for, of shots that have frequencies up to the plan's.
[[nodiscard]] HistoryOptions history_options(const std::optional<double>& memory, int every,
                                             const RunPlan& plan);

/// Computes shot by shot, on one device, and leaves each shot's part in a folder beside the output until the
/// sum over the shots, in the order of their numbers, is written. A call that finds parts of the same
/// configuration goes on from them. Prints facts, and misfit and time of each shot, on stdout. Errors: those
/// of make_survey_plan, choose_device, observed_traces, GradientRunner; 64 options that a gradient does not
/// have; 75 after a signal.
void run_gradient(const ShotOptions& options, const GradientOptions& gradient);

}  // namespace minimod
