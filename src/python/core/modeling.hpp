/// Shots of one plan, run or stepped in this process; what they leave stays in memory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/job/gradient/gradient_shots.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/shot/configuration.hpp"
#include "src/job/shot/shot_job.hpp"

namespace minimod {

/// u where a device has it, over the inner box or all points.
struct WavefieldView {
  RealsAt first;                            ///< u at its first node
  Extent3 n;                                ///< nodes
  std::int64_t stride_y = 0, stride_z = 0;  ///< values
  bool on_gpu = false;
  int gpu = 0;  ///< number of the GPU
};

/// Derivatives of a misfit by what a shot is made of.
struct ShotDerivatives {
  GradientSums sums;
  std::vector<double> by_fed;        ///< [source][step], as SourceRecorder has them; empty: not asked for
  std::vector<double> by_amplitude;  ///< one a source
};

/// Sums over the steps that are wanted of shots, as GradientOptions has them.
struct WantedSums {
  std::optional<double> memory;  ///< GiB
  std::string history;           ///< name of a HistoryKind
  std::string states_on;         ///< a folder; empty: none
  int every = 1;
  int shots_at_once = 1;      ///< on this host
  std::string by, condition;  ///< names: a parameter of a gradient, or the condition of an image
};

class Modeling {
 public:
  /// Plans shots, chooses device and kernels, and puts the domain there; tells the notes of the plan. With
  /// `writes` gathers go to files as the options say, too. For gradients the domain comes with `model`.
  /// Errors: those of run_shot.
  Modeling(std::unique_ptr<ShotOptions> options, bool writes, bool for_gradients = false);
  ~Modeling();

  [[nodiscard]] const SurveyPlan& plan() const { return plan_; }
  [[nodiscard]] const DeviceChoice& choice() const { return job_->choice(); }
  [[nodiscard]] std::size_t shots() const { return plan_.selected.size(); }

  /// A shot of the plan, or another one, whose sources have wavelets of the plan's. Errors: those of
  /// ShotJob::compute, of files, of positions.
  [[nodiscard]] ComputedShot run(std::size_t i, const ShotHooks& hooks);
  [[nodiscard]] ComputedShot run(const ShotGeometry& other, const ShotHooks& hooks);
  /// The run's record, as --json has it.
  [[nodiscard]] std::string record(const ComputedShot& shot) const;

  /// A shot of the plan, whose gradient or image follows. What is wanted of it is the first call's.
  [[nodiscard]] ShotGather model(std::size_t i, const WantedSums& wanted, const ShotHooks& hooks);
  /// Sums of it, of the derivative by its traces [receiver][sample], and where asked for derivatives by its
  /// sources. Errors: those of GradientRunner::derive; 64 of sources that have no wavelet.
  [[nodiscard]] ShotDerivatives derive(std::vector<double> derivative, bool by_sources,
                                       const ShotHooks& hooks);

  /// Puts the fields at rest with the sources and receivers of a shot, as in `run`.
  void begin(std::size_t i);
  void begin(const ShotGeometry& other);
  /// So many steps from there on; `is_stopped` ends them early.
  void step(int steps, const std::function<bool()>& is_stopped);
  [[nodiscard]] int steps_done() const;
  /// s, of the present wavefield.
  [[nodiscard]] double time() const;
  /// Adds to u at a node of the inner box. Error 64 where that is none.
  void add(Index3 node, double value);
  /// The wavefield, when the device has computed it; it is elsewhere after the next step.
  [[nodiscard]] WavefieldView wavefield(bool with_layer);
  /// Traces that the receivers have recorded so far. Error 64 where none has begun.
  [[nodiscard]] ShotGather gather();

 private:
  [[nodiscard]] ShotGeometry in_model(ShotGeometry shot) const;
  [[nodiscard]] Shot placed(const ShotGeometry& shot) const;
  [[nodiscard]] ComputedShot compute(const Shot& shot, const ShotHooks& hooks);
  [[nodiscard]] ShotIdentity identity_of(const Shot& shot) const;
  void begin_with(Shot shot);
  void fetch();
  [[nodiscard]] Propagator& stepped() const;

  std::unique_ptr<ShotOptions> options_;
  SurveyPlan plan_;
  std::optional<ShotOutputs> outputs_;
  std::unique_ptr<ShotJob> job_;
  std::unique_ptr<GradientRunner> gradients_;
  Propagator* propagator_ = nullptr;  ///< null: no shot has begun
  Shot begun_;                        ///< or modelled for its gradient
  int in_batch_ = 0;                  ///< samples on the device
  Reals kept_;                        ///< samples fetched from there, [sample][receiver]
};

}  // namespace minimod
