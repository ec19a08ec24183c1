/// What carries shots through on the devices of this process, for a run of one shot and for a survey's
/// worker.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "src/job/shot/modeled_shot.hpp"
#include "src/job/shot/snapshot_recorder.hpp"

namespace minimod {

/// A shot behind its last step, of which nothing is written yet.
struct ComputedShot {
  RunResult result;  ///< without the rates of the device
  Reals traces;      ///< as in ModeledShot
  std::unique_ptr<SnapshotRecorder>
      snapshots;  ///< to be finished by the first rank; null where none are wanted
};

/// Shots of one plan, one after the other: devices, cut and medium are theirs together. Of a domain that is
/// cut all ranks make the same calls.
class ShotJob {
 public:
  using CheckCut = std::function<void(const ShotJob& job)>;

  /// Chooses devices and kernels, cuts the domain by what its layer costs there, and reads this rank's part
  /// of the model into the plan. `largest`: of the shots. `check_cut` refuses a cut that does not fit.
  /// Errors: those of choose_devices and hold_slab.
  ShotJob(RunPlan& plan, const ShotOptions& options, const ShotSize& largest, const CheckCut& check_cut);

  [[nodiscard]] const DeviceChoice& choice() const { return choice_; }
  /// Bytes that a shot takes of the device, of which the host has so many `gathers` at once. Error 71 where
  /// they are not there.
  std::size_t check_memory(const ShotSize& largest, int gathers) const;
  /// Finds what kernels that were named leave of a GPU idle.
  void look_for_idle(const KernelOptions& options);

  /// Puts the domain on the device. Errors: those of ShotRunner.
  void start();
  /// Of the halos, where the domain is cut; after start.
  [[nodiscard]] std::optional<Transport> transport() const { return runner_->transport(); }
  /// Runs a shot, whose snapshots, if any, the first rank has go to `paths`; after start. Errors: those of
  /// ShotRunner::run and SnapshotRecorder.
  [[nodiscard]] ComputedShot compute(const RunPlan& shot, ShotCompany company,
                                     const std::optional<SnapshotPaths>& paths, bool overwrite);
  /// What the first rank writes; with sections of the model where the domain is cut, which all ranks take.
  [[nodiscard]] ShotGather gather_of(const RunPlan& shot, Reals traces) const;

 private:
  Ranks& ranks_ = Ranks::world();
  const RunPlan& plan_;
  bool share_gpu_;
  DeviceChoice choice_;
  std::optional<ShotRunner> runner_;
};

/// Begins the shot's checkpoints, where it has some left with the date of its first start.
void begin_checkpoints(ShotCheckpoints& checkpoints, Configuration configuration, RunPlan& plan);

}  // namespace minimod
