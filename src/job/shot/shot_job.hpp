/// Carries shots through on the devices of this process, for a run of one shot and for a survey's worker.
#pragma once

#include <memory>
#include <optional>

#include "src/io/shot_identity.hpp"
#include "src/job/gradient/born.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/modeled_shot.hpp"
#include "src/job/shot/snapshot_recorder.hpp"

namespace minimod {

/// A shot behind its last step, of which nothing is written yet: that is for the first rank.
struct ComputedShot {
  RunResult result;                             ///< without the rates of the device
  ShotGather gather;                            ///< with sections of the model where the domain is cut
  std::unique_ptr<SnapshotRecorder> snapshots;  ///< to be finished; null where none are wanted
};

/// Shots of one plan, one after the other: devices, cut and medium are theirs together. Of a domain that is
/// cut all ranks make the same calls.
class ShotJob {
 public:
  /// Chooses devices and kernels, cuts the domain of the problem, which is cut, by what its layer costs
  /// there, and reads this rank's part of the model. The host has so many `gathers` of a shot at once. Plan
  /// and options must outlive the job. Errors: those of choose_devices and SampledMedium::hold.
  ShotJob(const SurveyPlan& plan, Problem cut, const ShotOptions& options, int gathers);

  [[nodiscard]] const DeviceChoice& choice() const { return choice_; }
  /// The problem as it is cut, and the medium with the values of this rank's slab.
  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const std::shared_ptr<const SampledMedium>& medium() const { return medium_; }
  [[nodiscard]] const DomainCut& cut() const { return problem_.cut; }
  /// Bytes that a shot takes of the device. Error 71 where they are not there.
  std::size_t check_memory() const { return check_memory(problem_); }
  /// Finds what kernels that were named leave of a GPU idle.
  void look_for_idle();

  /// Puts the domain on the device. Errors: those of ShotRunner.
  void start();
  /// Transport of the halos, where the domain is cut; after start.
  [[nodiscard]] std::optional<Transport> transport() const {
    return runner_ ? runner_->transport() : linearised_ ? linearised_->transport() : std::nullopt;
  }
  /// Has a shot begin, for a caller who steps it; after start, without a change of the model.
  Propagator& begin(const Shot& shot) { return runner_->begin(shot); }
  /// Runs a shot, to first order of a change of the model where there is one, whose snapshots, if any, the
  /// first rank has go to `paths`; after start. Errors: those of ShotRunner::run, SnapshotFile and
  /// SnapshotRecorder.
  [[nodiscard]] ComputedShot compute(const Shot& shot, const ShotIdentity& identity, ShotHooks hooks,
                                     const std::optional<SnapshotPaths>& paths, bool overwrite);

 private:
  void cut_by_measured_cost();
  /// The receivers of any shot, and the memory of each rank.
  void check_cut(const Problem& problem) const;
  std::size_t check_memory(const Problem& problem) const;

  Ranks& ranks_ = Ranks::world();
  const SurveyPlan& plan_;
  Problem problem_;
  std::shared_ptr<const SampledMedium> medium_;
  const ShotOptions& options_;
  int gathers_;
  DeviceChoice choice_;
  std::optional<ShotRunner> runner_;
  std::optional<BornRunner> linearised_;  ///< in its place, where the plan has a change of the model
};

}  // namespace minimod
