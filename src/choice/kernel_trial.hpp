/// `--kernel auto` on a GPU: the fastest of some sets of kernels, found by running them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "boundary/boundary.hpp"
#include "src/choice/cache_file.hpp"
#include "src/solver/fields/memory.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

/// The winner of a trial, by name, as it is kept between runs.
struct TrialResult {
  std::string inner, pml, schedule;
  double gpt_per_s = 0;
  double seconds = 0;  ///< time that the trial took
  friend bool operator==(const TrialResult&, const TrialResult&) = default;
};

/// Results of earlier runs in a JSON file, by a key that names all they depend on. A file that is not there
/// or not readable holds none; what cannot be written is not kept: the next run measures again.
class TrialCache {
 public:
  explicit TrialCache(std::filesystem::path file);

  /// $XDG_CACHE_HOME/minimod/kernel_trials.json, or under ~/.cache; no file when there is no home.
  [[nodiscard]] static TrialCache of_user();

  [[nodiscard]] std::optional<TrialResult> find(const std::string& key) const;
  void keep(const std::string& key, const TrialResult& result) const;

 private:
  CacheFile file_;
};

/// The index of the fastest set, its rate in 10^9 points a second, and what finding it took. Sets that do not
/// fit the free memory or that the grid is too long for do not take part; when none does, the first is taken
/// untried.
struct TrialWinner {
  std::size_t index = 0;
  double gpt_per_s = 0;
  double trial_seconds = 0;
};
[[nodiscard]] TrialWinner try_kernels(Backend& backend, const StepProblem& problem,
                                      const std::vector<KernelSet>& sets, const ShotSize& shot = {});

}  // namespace minimod
