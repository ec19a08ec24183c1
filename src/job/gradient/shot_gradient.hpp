/// The gradient of a shot's misfit by the model, exact for the discrete time step: the shot, and its
/// transpose backward in time, whose field is multiplied by the drives of the shot's steps
/// (boundary/adjoint/drive.hpp).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "src/job/gradient/history/boundary_history.hpp"
#include "src/job/gradient/history/gradient_checkpoints.hpp"
#include "src/job/gradient/history/gradient_plan.hpp"
#include "src/job/gradient/history/kept_drives.hpp"
#include "src/job/gradient/history/kept_states.hpp"
#include "src/job/gradient/misfit.hpp"
#include "src/job/gradient/sums/node_sums.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/modeled_shot.hpp"

namespace minimod {

struct ShotGradient {
  ModeledShot modeled;
  Misfit misfit;
  GradientSums sums;
  double seconds_of_shot = 0;  ///< with the drives that it leaves
  double seconds = 0;  ///< seconds of the transposed steps, with what of the shot is computed once more
};

/// Misfit of the traces that were modelled, corrected and in their unit.
using MisfitOfTraces = std::function<Misfit(const Reals& traces)>;

class GradientRunner {
 public:
  /// Puts shot and transpose on the device, this one with kernels of its own where the shot's are none for
  /// it. Of a problem that is cut all ranks make the same calls, each with its slab's medium, and the first
  /// one has what they leave. Errors: 64 a boundary or a cut without a transpose; those of plan_boundary; 69
  /// a transport that cannot be had; 71; those of ScratchFile.
  GradientRunner(const Problem& problem, const std::shared_ptr<const SampledMedium>& medium,
                 const DeviceChoice& choice, const HistoryOptions& history, const SumKind& kind = {});

  [[nodiscard]] const Reversal& reversal() const { return reversal_; }
  [[nodiscard]] bool has_states_on_disk() const { return states_.are_on_disk(); }
  /// Plan of a history whose steps are taken back; null where none is.
  [[nodiscard]] const BoundaryPlan* boundary() const { return boundary_ ? &boundary_->plan() : nullptr; }
  [[nodiscard]] const KernelSet& kernels() const { return kernels_; }
  [[nodiscard]] const KernelSet& adjoint_kernels() const { return adjoint_kernels_; }
  /// Transport of the slabs' halos, where the domain is cut.
  [[nodiscard]] std::optional<Transport> transport() const { return forward_.transport(); }
  /// Models a shot as ShotRunner::run does, and keeps what its gradient takes. Errors: those of that.
  [[nodiscard]] ModeledShot model(const Shot& shot, const ShotHooks& hooks);
  /// Sums of the shot that was modelled last, once, of the derivative of a misfit by its traces, the first
  /// rank's; `by_fed`: where the derivative by what its sources feed goes, as SourceRecorder has it, null
  /// where it is not wanted or the domain is cut. Errors: 75 at a signal or where `hooks` say so; 65 a
  /// gradient that is not finite.
  [[nodiscard]] GradientSums derive(const Shot& shot, std::vector<double> derivative, const ShotHooks& hooks,
                                    std::vector<double>* by_fed = nullptr);
  /// Both, the misfit on the first rank; with `checkpoints` it goes on where these are, without traces of the
  /// shot, and leaves some at a signal and every so many seconds of the transpose. The bits are the same.
  [[nodiscard]] ShotGradient run(const Shot& shot, const ShotHooks& hooks, const MisfitOfTraces& misfit,
                                 GradientCheckpoints* checkpoints = nullptr);

 private:
  struct Transpose;

  void refuse_at_signal(const Transpose& transpose) const;
  void agree_on(std::vector<double>& derivative, const Shot& shot) const;
  [[nodiscard]] GradientSums derive(const Shot& shot, std::vector<double> derivative, Transpose& transpose,
                                    std::vector<double>* by_fed);
  void feed_residual(const Shot& shot, std::vector<double> residual, double greatest);
  void go_back(Transpose& transpose);
  [[nodiscard]] int begin(const Transpose& transpose);
  void carry_out_rest(int begin, Transpose& transpose);
  void carry_out(const ReversalAction& action, Transpose& transpose);
  void step_to(int step, bool keeps, const Transpose& transpose);
  /// The drive of a step of the piece, in the boxes that it lies in.
  [[nodiscard]] std::vector<DriveWithin> drives_of(int step);
  void use_drives(int down_to, Transpose& transpose);
  void take_back(int begin, Transpose& transpose);
  void save_or_tell(const Transpose& transpose);
  [[nodiscard]] GradientSums at_nodes(const Transpose& transpose, double greatest) const;

  Problem problem_;
  std::shared_ptr<const SampledMedium> medium_;
  Backend& backend_;
  SumKind kind_;
  KernelSet kernels_, adjoint_kernels_;
  ShotRunner forward_, adjoint_;
  int illumination_every_;
  Reversal reversal_;
  KeptStates states_;
  KeptDrives drives_;
  std::optional<BoundaryHistory> boundary_;  ///< nothing: drives, states
};

}  // namespace minimod
