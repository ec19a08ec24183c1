#include "src/solver/step_plan.hpp"

#include <algorithm>

#include "src/device/profiling.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

StepPlan::StepPlan(const Backend& backend, const StepProblem& problem, const KernelSet& kernels)
    : problem_(problem),
      regions_(problem.regions()),
      kernels_(kernels),
      launches_(kernels.schedule->launches(problem)),
      planned_(launches_.size()) {
  const Schedule& schedule = *kernels.schedule;
  schedule.check(problem);
  const auto pml_points = static_cast<double>(std::max<std::int64_t>(1, regions_.pml_points()));
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const RegionLaunch& region = launches_[i];
    if (region.box.empty()) continue;
    Planned& planned = planned_[i];
    const double share =
        region.formula == Formula::inner ? 1 : static_cast<double>(region.box.points()) / pml_points;
    planned.blocks = schedule.blocks_of(region.formula, share, backend.info().units);
    planned.workspace = workspace_bytes_;
    StencilArgs<float> args;
    args.layout = problem.grid.layout;
    const Launches& shape = backend.launches_of(kernels.of(region.formula));
    planned.launch = backend.plan(schedule.launch_of(shape, region.formula), args_of(i, args));
    workspace_bytes_ += planned.launch->workspace_bytes();
  }
}

LaunchFacts StepPlan::facts(std::size_t launch) const {
  return planned_[launch].launch ? planned_[launch].launch->facts() : LaunchFacts{};
}

FieldNeeds StepPlan::needs() const {
  FieldNeeds needs;
  for (const RegionLaunch& launch : launches_) {
    if (launch.box.empty()) continue;
    const ShapeNeeds& shape = kernels_.of(launch.formula).needs;
    if (launch.formula == Formula::inner) {
      needs.codes |= shape.v16;
    } else {
      needs.eta |= shape.eta_field;
    }
  }
  needs.ahead = kernels_.schedule->fields_ahead();
  return needs;
}

StencilArgs<float> StepPlan::args_of(std::size_t number, StencilArgs<float> args) const {
  const RegionLaunch& launch = launches_[number];
  args.box = launch.box;
  args.inner = regions_.inner;
  args.updates_inner = launch.formula == Formula::mixed;
  args.phi_layout = launch.phi;
  args.most_blocks = planned_[number].blocks;
  if (args.workspace != nullptr) {
    args.workspace = static_cast<char*>(args.workspace) + planned_[number].workspace;
  }
  return args;
}

void StepPlan::launch(Backend& backend, std::size_t number, StencilArgs<float> args, int lane) const {
  if (planned_[number].launch == nullptr) return;
  const RegionLaunch& launch = launches_[number];
  const ProfilingRegion region(launch.name), kernel(kernels_.of(launch.formula).name);
  backend.launch(*planned_[number].launch, args_of(number, args), lane);
}

}  // namespace minimod
