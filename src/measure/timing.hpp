/// How steps are timed, of waves, specifications and plates alike: runs behind each other, and their spread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "src/base/json.hpp"
#include "src/ranks/domain_part.hpp"
#include "src/ranks/rank_share.hpp"

namespace minimod {

struct Spread {
  double min = 0, median = 0, max = 0;
};
/// Spread of one value at least.
[[nodiscard]] Spread spread(std::vector<double> values);
/// Spread of each of the numbers that so many calls give.
[[nodiscard]] std::vector<Spread> spreads(int calls, const std::function<std::vector<double>()>& numbers);
/// Work over seconds.
[[nodiscard]] Spread rates(double work, const Spread& seconds);
[[nodiscard]] Json to_record(const Spread& spread);

/// Time that the device takes for the steps, waited for.
[[nodiscard]] double seconds_of_steps(Backend& backend, int steps, const std::function<void()>& step);

/// Steps that are not timed ahead of runs of so many.
[[nodiscard]] int warm_up_steps(int steps, std::optional<int> asked = {});

/// A slab's steps, or those of a grid that is not cut.
struct TimedSteps {
  Backend& backend;
  const DomainCut& cut;
  std::function<void()> step;
  std::function<ExchangeCount()> exchanged;  ///< so far
};

struct TimedRuns {
  std::vector<double> seconds;  ///< seconds of each run, by the slowest rank
  RankShare mine;               ///< this rank's share of a run
};

/// Runs of `steps` steps behind `warm_up` others; all ranks make the same. `slab`: this rank's.
[[nodiscard]] TimedRuns timed_runs(const TimedSteps& timed, const Slab& slab, int steps, int warm_up,
                                   int runs);

}  // namespace minimod
