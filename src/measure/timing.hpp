/// How steps are timed, of waves, specifications and plates alike: runs behind each other.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/device/power/power_sampler.hpp"
#include "src/measure/spread.hpp"
#include "src/ranks/domain_part.hpp"
#include "src/ranks/rank_share.hpp"

namespace minimod {

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

/// How many runs there are, and of which length.
struct RunsWanted {
  std::optional<int> exactly = {};  ///< so many; else until the median is known within half a per cent,
  double seconds = 10;              ///< or the runs have taken so long,
  int least = 5;                    ///< but no fewer
  PowerSource* power = nullptr;     ///< source of each run's power, which lasts a second at least then
};

/// A run beside its seconds.
struct RunFacts {
  std::string at;  ///< when it began
  int steps = 0;
  PowerFigures power;  ///< power of this rank's device
};

struct TimedRuns {
  std::vector<double> seconds;  ///< seconds of the steps asked for, of each run, by the slowest rank
  std::vector<RunFacts> facts;  ///< a row a run
  RankShare mine;               ///< this rank's share of a run
};

/// Runs of `steps` steps, or of several times as many, behind `warm_up` others; all ranks make the same.
/// Fewer than are wanted where a request to stop is noted. `slab`: this rank's.
[[nodiscard]] TimedRuns timed_runs(const TimedSteps& timed, const Slab& slab, int steps, int warm_up,
                                   const RunsWanted& wanted);

}  // namespace minimod
