#include "src/choice/kernel_trial.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/timer.hpp"
#include "src/base/work/wanted_work.hpp"
#include "src/device/stopwatch.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

constexpr int trial_steps = 4;  // even: steps may come in pairs
constexpr int trial_runs = 3;
/// A set that takes so many times as long as the best one is not run again; the first run may take some time
/// more, in which code is loaded.
constexpr double hopeless = 1.5, loading_seconds = 5e-3;

/// Seconds of the best of some runs, or of a first one that is far above those of another set.
double seconds_of(Backend& backend, Propagator& propagator, double of_others) {
  Stopwatch watch(backend);
  double best = 0;
  for (int run = 0; run <= trial_runs; ++run) {  // the first warms up
    watch.start();
    for (int i = 0; i < trial_steps; ++i) {
      require_wanted();
      propagator.step();
    }
    watch.lap();
    const double seconds = watch.seconds();
    if (run <= 1 || seconds < best) best = seconds;
    if (best > hopeless * of_others + (run == 0 ? loading_seconds : 0)) break;
  }
  return best;
}

}  // namespace

TrialCache::TrialCache(std::filesystem::path file)
    : file_(std::move(file), "minimod.kernel_trials/1", "trials") {}

TrialCache TrialCache::of_user() {
  return TrialCache(CacheFile::of_user("kernel_trials.json"));
}

std::optional<TrialResult> TrialCache::find(const std::string& key) const {
  const Json found = file_.entries().value(key, Json());
  if (!found.is_object()) return std::nullopt;
  return TrialResult{text_in(found, "inner"), text_in(found, "pml"), text_in(found, "schedule"),
                     number_in(found, "gpt_per_s"), number_in(found, "seconds")};
}

void TrialCache::keep(const std::string& key, const TrialResult& result) const {
  file_.keep(key, {{"inner", result.inner},
                   {"pml", result.pml},
                   {"schedule", result.schedule},
                   {"gpt_per_s", result.gpt_per_s},
                   {"seconds", result.seconds}});
}

TrialWinner try_kernels(Backend& backend, const StepProblem& problem, const std::vector<KernelSet>& sets,
                        const ShotSize& shot) {
  const Timer timer;
  StepProblem undamped = problem;
  undamped.boundary.velocity = 0;
  const std::size_t free = backend.free_bytes();
  std::unique_ptr<Propagator> propagator;
  TrialWinner winner;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < sets.size(); ++i) {
    try {
      if (bytes_needed(backend, undamped, sets[i], shot) > free) continue;
      const StepProblem with_ghosts = undamped.with_ghosts(sets[i].schedule->ghosts());
      // Fields of random values are made faster than moved.
      const auto lies_otherwise = [&] {
        return !propagator->fields().lie_as(StepPlan(backend, with_ghosts, sets[i]).fields());
      };
      if (propagator == nullptr || lies_otherwise()) {
        const Grid& grid = with_ghosts.grid;
        propagator.reset();  // frees the memory first
        propagator = std::make_unique<Propagator>(
            backend, with_ghosts, make_boundary(undamped.boundary, grid.n, grid.spacing, 1), sets[i]);
        propagator->set_random_field(1);
      }
      propagator->set_kernels(sets[i]);
      const double seconds = seconds_of(backend, *propagator, least);
      propagator->check_status();
      if (seconds >= least) continue;
      least = seconds;
      winner = {i, 1e-9 * static_cast<double>(problem.grid.n.points()) * trial_steps / seconds, 0};
    } catch (const Error& refusal) {  // some shapes refuse this grid, or a launch gave up
      if (refusal.kind() != ErrorKind::resource) throw;
      if (propagator != nullptr && propagator->fields().are_lost()) propagator.reset();
      if (propagator != nullptr) propagator->set_random_field(1);
    }
  }
  propagator.reset();
  winner.trial_seconds = timer.seconds();
  return winner;
}

}  // namespace minimod
