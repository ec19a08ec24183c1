/// The shots of a gradient or an image, as the process that sums them and those that compute them see them:
/// their traces and misfits, all that the bits depend on, and the files of their parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/io/gradient/gradient_file.hpp"
#include "src/job/gradient/misfit.hpp"
#include "src/job/gradient/observed_traces.hpp"
#include "src/job/gradient/residual_files.hpp"
#include "src/job/gradient/shot_gradient.hpp"
#include "src/job/plan/shot_options.hpp"
#include "src/job/shot/configuration.hpp"

namespace minimod {

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
  std::string trace_weights;    ///< a file of them; empty: none
  std::string residuals;        ///< a file of the one shot's, or a folder; empty: not written
  std::string adjoint_sources;  ///< derivative of a misfit, in place of observed traces, as they are given
  std::optional<double>
      memory;             ///< GiB for drives and states of a shot at most; nothing: most of what is free
  int every = 1;          ///< steps that one drive stands for; 0: as many as Nyquist allows
  std::string states_on;  ///< folder of states, in place of the host's memory; empty: none
  HistoryKind history = HistoryKind::automatic;

  [[nodiscard]] const char* name() const { return image ? "image" : "gradient"; }
  [[nodiscard]] SumKind sum_kind() const {
    return {by, image ? std::optional(image->condition) : std::nullopt};
  }
};

/// The history that the options ask for, of shots that have frequencies up to the plan's, of which so many
/// are computed on this host at once. Error 64 more steps to a drive than the shot has.
[[nodiscard]] HistoryOptions history_options(const std::optional<double>& memory, int every,
                                             const RunPlan& plan, int shots_at_once = 1);

class GradientShots {
 public:
  /// Plans the shots, each in so many `parts`, and finds the file of each one's traces. Errors: those of
  /// make_survey_plan, traces_file, read_trace_weights, ResidualFiles.
  GradientShots(const ShotOptions& options, const GradientOptions& gradient, int parts);
  GradientShots(const GradientShots&) = delete;
  GradientShots& operator=(const GradientShots&) = delete;

  [[nodiscard]] const ShotOptions& options() const { return options_; }
  [[nodiscard]] const GradientOptions& gradient() const { return gradient_; }
  [[nodiscard]] const SurveyPlan& plan() const { return plan_; }
  [[nodiscard]] HistoryOptions history(int shots_at_once) const;
  [[nodiscard]] std::size_t size() const { return files_.size(); }
  /// A shot of the selected, in their order.
  [[nodiscard]] Shot shot(std::size_t i) const { return place_shot(plan_.shared, plan_.shot(i)); }
  [[nodiscard]] const std::optional<ResidualFiles>& residuals() const { return residuals_; }
  /// Checks that a shot's residuals can be written, and not over its traces nor the output. Errors: those of
  /// ResidualFiles::check.
  void check_residuals(std::size_t i) const {
    residuals_->check(plan_.shot(i).id, options_.output.force, {files_[i], output_});
  }

  /// All that the parts share, but for what kernels add.
  [[nodiscard]] Configuration configuration() const;
  /// Hash of the configuration of a shot's part, by the content of its traces, too.
  [[nodiscard]] std::string hash_of_part(std::size_t i, const Configuration& shared) const;

  /// Observed traces or adjoint sources. Errors: those of traces_of_shot.
  [[nodiscard]] Reals traces(std::size_t i) const;
  [[nodiscard]] std::string misfit_name() const;
  /// Misfit of a shot by these, whose derivative is what the receivers feed.
  [[nodiscard]] Misfit misfit(const Reals& modelled, const Reals& given) const;

  [[nodiscard]] const std::filesystem::path& output() const { return output_; }
  /// Folder of the parts, beside the output.
  [[nodiscard]] const std::filesystem::path& parts() const { return parts_; }
  [[nodiscard]] std::filesystem::path part(std::size_t i) const;
  /// Base of a shot's checkpoints, beside its part.
  [[nodiscard]] std::filesystem::path checkpoints(std::size_t i) const;
  /// Whether there is one shot, whose part is the output, but for its name.
  [[nodiscard]] bool is_alone() const { return size() == 1; }
  /// Whether the part is there, of this configuration, and the shot's residuals if they are wanted. Its
  /// values are not read.
  [[nodiscard]] bool is_done(std::size_t i, const std::string& hash) const;
  /// In the precision of the run.
  void write_part(std::size_t i, GradientSums sums, double misfit, const std::string& hash,
                  const std::string& date) const;
  /// Adds a part to the sums, and shot and misfit to the file. Errors: those of read_gradient.
  void add_part(std::size_t i, GradientSums& sums, GradientFile& file) const;
  /// The output, of sums in double and the shots and misfits of a file, in the precision of the run.
  [[nodiscard]] GradientFile whole(GradientSums sums, GradientFile shots, const std::string& hash) const;

 private:
  void compensate_sums(GradientSums& sums) const;
  void describe_whole(GradientFile& file, const std::string& date) const;
  [[nodiscard]] bool compensates() const { return gradient_.image && gradient_.image->compensates; }
  [[nodiscard]] Precision precision() const { return plan_.shared.grid().precision; }
  [[nodiscard]] GradientFile content(GradientSums sums) const;
  [[nodiscard]] NodeField correlation(NodeValues values) const;
  [[nodiscard]] SampleTimes times() const;
  [[nodiscard]] bool has_adjoint_sources() const { return !gradient_.adjoint_sources.empty(); }

  ShotOptions options_;
  GradientOptions gradient_;
  SurveyPlan plan_;
  std::filesystem::path output_, parts_;
  TracesOption traces_;
  std::vector<std::filesystem::path> files_;  ///< traces of the selected shots
  std::optional<ResidualFiles> residuals_;    ///< nothing: they are not written
};

}  // namespace minimod
