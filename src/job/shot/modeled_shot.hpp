/// The time loop of planned shots, from the fields at rest to the traces.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "models/sampled_medium.hpp"
#include "src/choice/device_choice.hpp"
#include "src/device/power/power_sampler.hpp"
#include "src/job/shot/shot.hpp"
#include "src/job/shot/shot_checkpoints.hpp"
#include "src/ranks/domain_part.hpp"
#include "src/ranks/rank_share.hpp"

namespace minimod {

class ReceiverShare;

/// Result of a run.
struct RunResult {
  double seconds = 0;                 ///< time of the steps on the device, the slowest rank's
  int steps = 0;                      ///< steps computed now, but for the first
  std::vector<TimedPart> parts;       ///< parts of a step, with their mean seconds
  Extremes extremes;                  ///< extremes of the final wavefield over all points
  std::optional<StreamRates> stream;  ///< rates of the devices, where they were measured before the run
  std::optional<VelocityCode> velocity_code;  ///< code of (V Δt)², where the inner kernel reads it in 16 bits
  double gpt_per_s = 0;                       ///< over inner and PML points
  double gb_per_s = 0;                        ///< at the counted bytes
  std::optional<PowerFigures> power;          ///< power of the device while the steps ran
  std::vector<RankShare> ranks;               ///< empty where the domain is not cut
  std::optional<double> layer_cost;           ///< as in DomainCut
  Transport transport = Transport::mpi;       ///< transport of the halos between them
};

/// Bytes that a point update must move at least; two less of floats where V² comes in 16 bits.
[[nodiscard]] inline int inner_bytes_of(const KernelSet& kernels) {
  const CodeShape& shape = *kernels.inner;
  return values_of_point(shape.equation, false) * static_cast<int>(bytes_of(shape.precision)) -
         (shape.needs.v16 ? 2 : 0);
}
[[nodiscard]] inline int pml_bytes_of(const KernelSet& kernels) {
  return values_of_point(kernels.pml->equation, true) * static_cast<int>(bytes_of(kernels.pml->precision));
}

/// Bytes that a step must move at least; two less a point of the inner box where V² comes in 16 bits.
[[nodiscard]] double bytes_of_a_step(const Grid& grid, const BoundarySpec& boundary,
                                     const KernelSet& kernels);

/// A shot as it was modelled.
struct ModeledShot {
  RunResult result;  ///< without the rates of the device
  Reals traces;      ///< [receiver][sample], of the first rank; corrected where the problem says so
};

/// Has traces [receiver][sample] of a run become those of a shot: corrected, and in its unit.
void finish_traces(Reals& traces, const Problem& problem, const Shot& shot);

/// Rates of a result's seconds and steps, and the extremes of a field.
void finish_result(const Problem& problem, const Shot& shot, const KernelSet& kernels,
                   const Propagator& propagator, RunResult& result);

/// Samples that the device keeps for the host at most, plus two.
[[nodiscard]] int samples_of_batch(const TimeAxis& time);

/// Size of what the device must hold beside the fields.
[[nodiscard]] ShotSize shot_size(const Problem& problem, const Shot& shot);

/// Looks at the wavefield of a shot after steps of its own choice.
class StepObserver {
 public:
  StepObserver() = default;
  StepObserver(const StepObserver&) = delete;
  StepObserver& operator=(const StepObserver&) = delete;
  virtual ~StepObserver() = default;

  /// The first step above `after` that it wants to look behind, 0 being the fields at rest; INT_MAX: none.
  [[nodiscard]] virtual int next_step(int after) const = 0;
  /// `step` steps are done.
  virtual void look(const Propagator& propagator, int step) = 0;
  /// A checkpoint follows: what was seen must outlive the process, and HDF5 is the caller's for a while.
  virtual void keep() {}
  /// Before the first look: the shot goes on behind `step` steps. Error 65 where what was seen before is
  /// lost.
  virtual void go_on(int /*step*/) {}
};

/// Gives the device work of its own around every step of a shot, without waiting for what it has: a batch of
/// steps is queued with it. No step is computed ahead of it, where the schedule's exchange is of one.
class StepCompanion {
 public:
  StepCompanion() = default;
  StepCompanion(const StepCompanion&) = delete;
  StepCompanion& operator=(const StepCompanion&) = delete;
  virtual ~StepCompanion() = default;

  virtual void before_step(Propagator& propagator) = 0;
  virtual void after_step(const Propagator& propagator) = 0;
};

/// Hooks of a shot: who looks at its steps, hears of them and keeps them.
struct ShotHooks {
  std::vector<StepObserver*> observers;
  std::optional<StepRange> profile_range;
  /// Hears how many steps are done, a batch at a time; empty: a bar on stderr.
  std::function<void(int steps_done)> progress;
  /// Where the shot goes on, and what it leaves at a signal and every so many seconds (0: at a signal alone);
  /// null: nothing.
  ShotCheckpoints* checkpoints = nullptr;
  double checkpoint_every = 0;
  int warmup = 0;  ///< first steps, which the measured speed leaves out
  /// Asked at every step whether the shot is to end as at a signal, with Error 75; empty: signals alone.
  std::function<bool()> is_stopped = {};
  PowerSource* power = nullptr;  ///< sampled while the steps run; null: nothing
  StepCompanion* companion = nullptr;
};

/// Whether the traces are so large that writing the gather takes longer than who sends a signal may wait.
[[nodiscard]] bool takes_long_to_write(const Problem& problem, const Shot& shot);

/// The nodes of a medium, where they lie in the memory of a device; nothing where it takes them plane by
/// plane from the host.
[[nodiscard]] std::optional<PlacedNodes> nodes_there(const SampledMedium& medium, const std::string& memory);

/// Runs the shots of a problem, one after the other. The medium stays on the device. Where the domain is cut,
/// every rank runs its slab of each, and the first one has what it leaves.
class ShotRunner {
 public:
  /// Errors: 71 too little memory, 69 a transport that cannot be had.
  ShotRunner(const Problem& problem, const std::shared_ptr<const SampledMedium>& medium,
             const DeviceChoice& choice)
      : ShotRunner(problem, medium, *choice.backend, choice.kernels) {}
  ShotRunner(const Problem& problem, const std::shared_ptr<const SampledMedium>& medium, Backend& backend,
             const KernelSet& kernels);

  /// The same bits as from a runner of its own. Errors: 65 a wavefield that is not finite, or grows after the
  /// source's end, within Watch::steps_between_looks steps, 71 too little memory, 75 after a signal that
  /// StopRequests noted, with a checkpoint left where there is a place for it. After an error another shot
  /// may follow.
  [[nodiscard]] ModeledShot run(const Shot& shot, const ShotHooks& hooks = {});
  /// Has a shot begin, at rest and with its first sample, for a caller who steps it.
  Propagator& begin(const Shot& shot);
  /// The propagator with the medium, and sources and receivers of the last shot.
  [[nodiscard]] Propagator& propagator() { return *part_.propagator; }
  /// Transport of the slabs' halos, where the domain is cut.
  [[nodiscard]] std::optional<Transport> transport() const { return part_.transport(); }

 private:
  /// Sources, and receivers where they are others than before, on the device.
  void place(const Shot& shot, const ReceiverShare& receivers);

  Problem problem_;
  Backend& backend_;
  Ranks& ranks_;
  KernelSet kernels_;
  DomainPart part_;
  std::vector<Point3> receivers_set_;  ///< receivers of the shot before, which the device has
};

}  // namespace minimod
