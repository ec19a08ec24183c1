/// How much of a GPU the launches of a step keep at work, and what a run says where that is little.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/solver/step_plan.hpp"

namespace minimod {

/// A launch of a step, as the GPU sees it.
struct LaunchLoad {
  double points = 0;  ///< points that it updates
  int blocks = 0;
  int room = 0;  ///< blocks that the GPU holds at once
};

/// Blocks of a plan's launches on a GPU of so many multiprocessors.
[[nodiscard]] std::vector<LaunchLoad> launch_loads(const StepPlan& plan, int multiprocessors);

/// How long a step takes, in points that a GPU full of blocks would update meanwhile: a block takes the same
/// time whether others stand beside it or not, so that a launch that fills half of the room for blocks takes
/// twice as long. Launches `at_once` take as long as the longest of them, or all of them together.
[[nodiscard]] double time_of(const std::vector<LaunchLoad>& launches, bool at_once);

/// The share of the room for blocks that is empty over such a step.
[[nodiscard]] double idle_share(const std::vector<LaunchLoad>& launches, bool at_once);

/// From where on a run says it: half idle, a step could take half the time.
inline constexpr double most_idle_share = 0.5;

/// Idle share of named kernels. Above the limit a line says so, with the options that promise to be faster.
struct IdleFacts {
  double share = 0;
  std::string note;
};
using LoadsOf = std::function<std::vector<LaunchLoad>(const KernelSet&)>;
[[nodiscard]] IdleFacts idle_facts(const KernelSet& kernels, const StepProblem& problem, const LoadsOf& plan);

}  // namespace minimod
