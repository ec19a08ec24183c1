#include "src/solver/step_plan.hpp"

#include <algorithm>

#include "src/device/profiling.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

/// The planes of a launch that lie between two.
RegionLaunch between_planes(RegionLaunch launch, int begin, int end) {
  launch.box.begin.z = std::max(launch.box.begin.z, begin);
  launch.box.end.z = std::max(launch.box.begin.z, std::min(launch.box.end.z, end));
  return launch;
}

}  // namespace

std::vector<Box3> StepProblem::rims() const {
  const Extent3 n = grid.n;
  std::vector<Box3> rims;
  if (boundary.kind != BoundaryKind::pml) return rims;
  const int end_above = boundary.continues_above ? std::min(rim_planes, n.z) : 0;
  const int begin_below = boundary.continues_below ? std::max(end_above, n.z - rim_planes) : n.z;
  if (end_above > 0) rims.push_back({{0, 0, 0}, {n.x, n.y, end_above}});
  if (begin_below < n.z) rims.push_back({{0, 0, begin_below}, {n.x, n.y, n.z}});
  return rims;
}

StepPlan::StepPlan(const Backend& backend, const StepProblem& problem, const KernelSet& kernels)
    : problem_(problem),
      regions_(problem.regions()),
      kernels_(kernels),
      launches_(kernels.schedule->launches(problem)) {
  const Schedule& schedule = *kernels.schedule;
  schedule.check(problem);
  if (schedule.computes_rims_first()) cut_rims_off();
  planned_.resize(launches_.size() + rims_.size());
  const auto pml_points = static_cast<double>(std::max<std::int64_t>(1, regions_.pml_points()));
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    const auto& [name, formula, box, phi] = region(i);
    if (box.empty()) continue;
    Planned& planned = planned_[i];
    const double share = formula == Formula::inner ? 1 : static_cast<double>(box.points()) / pml_points;
    planned.blocks = schedule.blocks_of(formula, share, backend.info().units);
    planned.workspace = workspace_bytes_;
    StencilArgs<float> args;
    args.layout = problem.grid.layout;
    const Launches& shape = backend.launches_of(kernels.of(formula));
    planned.launch = backend.plan(schedule.launch_of(shape, formula), args_of(i, args));
    workspace_bytes_ += planned.launch->workspace_bytes();
  }
}

void StepPlan::cut_rims_off() {
  int begin = 0, end = problem_.grid.n.z;
  for (const Box3& rim : problem_.rims()) {
    for (const RegionLaunch& launch : launches_) {
      rims_.push_back(between_planes(launch, rim.begin.z, rim.end.z));
    }
    if (rim.begin.z == begin) {
      begin = rim.end.z;
    } else {
      end = rim.begin.z;
    }
  }
  for (RegionLaunch& launch : launches_) launch = between_planes(launch, begin, end);
}

const RegionLaunch& StepPlan::region(std::size_t number) const {
  return number < launches_.size() ? launches_[number] : rims_[number - launches_.size()];
}

std::int64_t StepPlan::rim_points() const {
  std::int64_t points = 0;
  for (const RegionLaunch& launch : rims_) points += launch.box.points();
  return points;
}

LaunchFacts StepPlan::facts(std::size_t launch) const {
  return planned_[launch].launch ? planned_[launch].launch->facts() : LaunchFacts{};
}

FieldNeeds StepPlan::needs() const {
  FieldNeeds needs;
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    const RegionLaunch& launch = region(i);
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
  const RegionLaunch& launch = region(number);
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
  const RegionLaunch& launch = region(number);
  const ProfilingRegion part(launch.name), kernel(kernels_.of(launch.formula).name);
  backend.launch(*planned_[number].launch, args_of(number, args), lane);
}

void StepPlan::launch_rims(Backend& backend, const StencilArgs<float>& args) const {
  const ProfilingRegion rims("rims");
  for (std::size_t i = launches_.size(); i < planned_.size(); ++i) launch(backend, i, args);
}

}  // namespace minimod
