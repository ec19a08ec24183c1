#include "src/choice/gpu_load.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/registry.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

/// A PML kernel that fills a GPU on any grid, of 3-D blocks.
constexpr const char* filling_pml = "gmem_16x16x4";
/// Another choice is told where it promises so much of the time at most; the estimate may be off by a quarter
/// (perf/notes/shapes.md).
constexpr double told_share = 0.75;

/// The share of the room that its blocks fill, in as many rounds as they need.
double filled_share(const LaunchLoad& launch) {
  const int rounds = ceil_div(launch.blocks, launch.room);
  return static_cast<double>(launch.blocks) / (static_cast<double>(rounds) * launch.room);
}

double points_of(const std::vector<LaunchLoad>& launches) {
  double points = 0;
  for (const LaunchLoad& launch : launches) points += launch.points;
  return points;
}

std::string range_of(const std::vector<LaunchLoad>& launches, int LaunchLoad::*member) {
  const auto [least, most] = std::ranges::minmax(launches, {}, member);
  return least.*member == most.*member ? text(least.*member) : text(least.*member, " to ", most.*member);
}

bool has_pml_launches(const KernelSet& kernels, const StepProblem& problem) {
  const auto launches = kernels.schedule->launches(problem);
  return std::ranges::count(launches, Formula::pml, &RegionLaunch::formula) > 0;
}

/// `auto` may take the same kernels.
std::string remedy(const std::vector<std::string>& faster) {
  if (faster.empty()) return option("kernel") + " auto takes the fastest";
  std::string options;
  for (const std::string& option : faster) options += option + ", ";
  return text("faster: ", options, "or what ", option("kernel"), " auto takes");
}

/// Whether other kernels promise to be faster; some are refused.
bool is_faster(const KernelSet& other, double time, const LoadsOf& plan) {
  try {
    return time_of(plan(other), other.schedule->launches_at_once()) < told_share * time;
  } catch (const Error& refusal) {
    if (refusal.kind() != ErrorKind::resource) throw;
    return false;
  }
}

}  // namespace

std::vector<LaunchLoad> launch_loads(const StepPlan& plan, int multiprocessors) {
  std::vector<LaunchLoad> launches;
  for (std::size_t i = 0; i < plan.launches().size(); ++i) {
    const LaunchFacts facts = plan.facts(i);
    if (facts.active_blocks == 0) continue;  // over an empty box
    launches.push_back({static_cast<double>(plan.launches()[i].box.points()),
                        static_cast<int>(facts.blocks.points()), facts.active_blocks * multiprocessors});
  }
  return launches;
}

double time_of(const std::vector<LaunchLoad>& launches, bool at_once) {
  double sum = 0, longest = 0;
  for (const LaunchLoad& launch : launches) {
    const double time = launch.points / filled_share(launch);
    sum += time;
    longest = std::max(longest, time);
  }
  return at_once ? std::max(longest, points_of(launches)) : sum;
}

double idle_share(const std::vector<LaunchLoad>& launches, bool at_once) {
  return launches.empty() ? 0 : 1 - points_of(launches) / time_of(launches, at_once);
}

IdleFacts idle_facts(const KernelSet& kernels, const StepProblem& problem, const LoadsOf& plan) {
  const std::vector<LaunchLoad> launches = plan(kernels);
  const bool at_once = kernels.schedule->launches_at_once();
  const double time = time_of(launches, at_once);
  IdleFacts facts{idle_share(launches, at_once), ""};
  if (facts.share < most_idle_share) return facts;
  std::vector<std::string> faster;
  const KernelSet overlapping{kernels.inner, kernels.pml, &beside()};
  if (kernels.schedule == &sequence() && beside().takes(problem) && is_faster(overlapping, time, plan)) {
    faster.push_back(option("schedule") + " " + beside().name());
  }
  const KernelSet filling{
      kernels.inner,
      &find_shape(filling_pml, kernels.inner->radius, kernels.inner->precision, kernels.inner->equation),
      kernels.schedule};
  if (has_pml_launches(kernels, problem) && is_faster(filling, time, plan)) {
    faster.push_back(text(option("pml-kernel"), " ", filling_pml));
  }
  const std::string& inner = kernels.inner->name;
  facts.note = text(inner, kernels.pml == kernels.inner ? "" : " with " + kernels.pml->name, " leaves ",
                    std::lround(100 * facts.share), " % of the GPU idle on this grid, with launches of ",
                    range_of(launches, &LaunchLoad::blocks), " blocks where ",
                    range_of(launches, &LaunchLoad::room), " fit at once; ", remedy(faster));
  return facts;
}

}  // namespace minimod
