/// The device that a run takes, and its code shapes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/choice/gpu_load.hpp"
#include "src/choice/kernel_options.hpp"
#include "src/choice/kernel_trial.hpp"
#include "src/device/backend.hpp"

namespace minimod {

/// Facts of a trial, now or earlier.
struct TrialFacts {
  std::size_t sets = 0;  ///< sets that might be taken
  TrialResult result;
  bool is_earlier = false;
};

struct DeviceChoice {
  std::unique_ptr<Backend> backend;
  DeviceInfo device;
  KernelSet kernels;
  bool is_among_others = false;     ///< `auto` took them among some whose sums give other bits
  std::optional<TrialFacts> trial;  ///< by which `auto` came to them; nothing for kernels that were named
  /// Idle share of a GPU with kernels that were named, where it was looked for.
  std::optional<IdleFacts> idle;
  std::vector<std::string> notes;  ///< wishes of the user that were not met, a line each
  std::optional<StreamRates> stream_before_trial;

  /// Measured now, or, where there was a trial, before it, as for figures: after a trial's large allocations
  /// the same GPU streams a tenth slower.
  [[nodiscard]] StreamRates stream_rates(Thoroughness thoroughness) const {
    return stream_before_trial ? *stream_before_trial : backend->measure_stream_rates(thoroughness);
  }
};

/// Error 64 when a kernel that was named does not exist.
void check_kernels(const KernelOptions& options);

/// Follows --device, --kernel, --pml-kernel, --schedule and --emulate; `auto` on a GPU is decided by a trial
/// on the grid of the run, or by what an earlier one found, among the sets that fit beside source and
/// receivers. Without a usable GPU the shapes that need one are replaced by the portable kernel, unless a GPU
/// was asked for. Errors: 64 unknown kernels and contradictions, 69 a GPU that is not there.
[[nodiscard]] DeviceChoice choose_device(const KernelOptions& options, const StepProblem& problem,
                                         const ShotSize& shot = {});

/// The same without a trial, which would take memory: of the sets that `auto` may take there, the one that
/// needs the least.
[[nodiscard]] DeviceChoice choose_smallest(const KernelOptions& options, const StepProblem& problem,
                                           const ShotSize& shot);

/// The schedules of which a run takes one, before its device is there.
[[nodiscard]] std::vector<const Schedule*> possible_schedules(const KernelOptions& options,
                                                              const StepProblem& problem);

/// Idle share of the GPU in a chosen run; nothing for kernels of `auto` and on the host.
[[nodiscard]] std::optional<IdleFacts> idle_facts(const KernelOptions& options, const StepProblem& problem,
                                                  const DeviceChoice& choice);

/// The set that `auto` tries first there, fast on the GPUs that were measured; the portable kernel on the
/// host.
[[nodiscard]] KernelSet first_to_try(const KernelOptions& options, const StepProblem& problem,
                                     const DeviceChoice& choice);

/// Why `shape` does not run there, empty when it does. `device`: of a GPU's kind also without one.
[[nodiscard]] std::string why_not(const CodeShape& shape, const DeviceInfo& device,
                                  Decomposition decomposition = Decomposition::seven);

/// Shapes and schedule of a run whose shapes are chosen; the schedule is that of the options, or what the
/// inner shape is made for. Error 64 when shape, schedule and decomposition do not fit.
[[nodiscard]] KernelSet make_kernel_set(const KernelOptions& options, const StepProblem& problem,
                                        const Backend& backend, const CodeShape& inner, const CodeShape& pml);

}  // namespace minimod
