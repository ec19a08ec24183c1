#include "src/solver/step_plan.hpp"

#include <algorithm>

#include "kernels/equation_names.hpp"
#include "src/base/error.hpp"
#include "src/base/precision_names.hpp"
#include "src/device/profiling.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

bool meet(const Box3& a, const Box3& b) {
  return a.begin.z < b.end.z && a.end.z > b.begin.z;
}

/// A launch in pieces along z of about the same thickness, of which one has no plane of the rims; fewer where
/// it is too thin.
std::vector<RegionLaunch> cut_between(const std::vector<Box3>& rims, const RegionLaunch& launch) {
  const Box3& box = launch.box;
  const int piece = box.extent().z / static_cast<int>(rims.size() + 1);
  int begin = box.begin.z, end = box.end.z;
  for (const Box3& rim : rims) {
    if (rim.begin.z <= begin) {
      begin = std::min(end, std::max(rim.end.z, begin + piece));
    } else {
      end = std::max(begin, std::min(rim.begin.z, end - piece));
    }
  }
  std::vector<RegionLaunch> pieces;
  for (const auto& [first, last] : {std::pair(box.begin.z, begin), {begin, end}, {end, box.end.z}}) {
    if (first == last) continue;
    pieces.push_back(launch);
    pieces.back().box.begin.z = first;
    pieces.back().box.end.z = last;
  }
  return pieces;
}

/// Launches that have points in a box, cut to its rows and planes: whole rows lie on lines of memory. One of
/// mixed formula stays as it is.
void cut_to(const Box3& box, std::vector<RegionLaunch>& launches) {
  for (RegionLaunch& launch : launches) {
    if (launch.formula == Formula::mixed) continue;
    const Box3 wanted = common_points(launch.box, box);
    const Box3 rows{{launch.box.begin.x, wanted.begin.y, wanted.begin.z},
                    {launch.box.end.x, wanted.end.y, wanted.end.z}};
    launch.box = wanted.empty() ? wanted : rows;
  }
}

/// Without columns where they lie in rows. Planes that go to a neighbour, or come from it, are as it has
/// them.
ChunkLayout chunks_for(const Backend& backend, const StepProblem& problem, const KernelSet& kernels) {
  const auto takes_chunks = [&](const CodeShape& shape) { return backend.planners_of(shape).takes_chunks; };
  const bool may_gain = kernels.schedule->gains_by_sides() && !problem.grid.rows_are_seen &&
                        takes_chunks(*kernels.inner) && takes_chunks(*kernels.pml);
  if (!may_gain) return {};
  const Grid& grid = problem.grid;
  const Extent3 n = grid.n;
  ChunkLayout chunks = backend.l2_sides(n).layout_of(n);
  if (chunks.columns == 0 || chunks.size() > most_in_vectors) return {};
  const int rim = planes_of_rim(grid.ghosts(), grid.radius);
  if (problem.boundary.is_cut()) {
    chunks.change_within(problem.boundary.continues_above ? rim : -ChunkLayout::R,
                         n.z - (problem.boundary.continues_below ? rim : -ChunkLayout::R));
  }
  return chunks;
}

}  // namespace

std::vector<Box3> StepProblem::rims() const {
  const Extent3 n = grid.n;
  std::vector<Box3> rims;
  if (!boundary.has_formula()) return rims;
  const int planes = planes_of_rim(grid.ghosts(), grid.radius);
  if (boundary.continues_above) rims.push_back({{0, 0, 0}, {n.x, n.y, planes}});
  if (boundary.continues_below) rims.push_back({{0, 0, n.z - planes}, {n.x, n.y, n.z}});
  return rims;
}

StepProblem StepProblem::with_ghosts(int planes) const {
  const int above = boundary.continues_above ? planes : 0, below = boundary.continues_below ? planes : 0;
  if (grid.ghosts_above == above && grid.ghosts_below == below) return *this;
  const Box3 own = grid.own();
  StepProblem extended = *this;
  extended.grid = make_grid({grid.n.x, grid.n.y, own.extent().z + above + below}, grid.spacing, boundary,
                            grid.difference(), grid.precision);
  extended.grid.first_z = grid.first_z + own.begin.z - above;
  extended.grid.ghosts_above = above;
  extended.grid.ghosts_below = below;
  return extended;
}

StepPlan::StepPlan(const Backend& backend, const StepProblem& problem, const KernelSet& kernels)
    : problem_(kernels.schedule->laid_out(problem)),
      regions_(problem.regions()),
      kernels_(kernels),
      launches_(kernels.schedule->launches(problem_)) {
  const Schedule& schedule = *kernels.schedule;
  schedule.check(problem);
  if (problem.within) cut_to(*problem.within, launches_);
  problem_.grid.chunks = chunks_for(backend, problem_, kernels);
  for (const CodeShape* shape : {kernels.inner, kernels.pml}) {
    const Grid& grid = problem.grid;
    if (shape->radius == grid.radius && shape->precision == grid.precision &&
        shape->equation == problem.equation)
      continue;
    throw Error(
        ErrorKind::internal,
        text("the kernel ", shape->name, " has a stencil of radius ", shape->radius, " in ",
             precision_name(shape->precision), " of ", equation_name(shape->equation), " on a grid made for ",
             grid.radius, " in ", precision_name(grid.precision), " of ", equation_name(problem.equation)),
        "please report it");
  }
  if (schedule.computes_rims_first()) put_rims_first(problem.rims());
  planned_.resize(launches_.size());
  LaunchArgs args(problem_.grid);
  std::vector<LayerWork> layers;
  if (!problem_.boundary.has_formula()) {
    layers = work_without_fields(problem_.grid, problem_.boundary, problem_.equation);
    static_cast<LayerArgs&>(args) = layers_across_x(layers);
  }
  const auto pml_points = static_cast<double>(std::max<std::int64_t>(1, regions_.pml_points()));
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    const auto& [name, formula, box, phi] = launches_[i];
    if (box.empty()) continue;
    Planned& planned = planned_[i];
    const double share = formula == Formula::inner ? 1 : static_cast<double>(box.points()) / pml_points;
    planned.blocks = schedule.blocks_of(formula, share, backend.info().units);
    planned.workspace = workspace_bytes_;
    const LaunchPlanners& shape = backend.planners_of(kernels.of(formula));
    planned.launch = backend.plan(schedule.planner_of(shape, formula), args_of(i, args));
    workspace_bytes_ += planned.launch->workspace_bytes();
  }
}

/// The layers across z of the outer slabs meet no rim. Where there is none, the largest launch is cut.
void StepPlan::put_rims_first(const std::vector<Box3>& rims) {
  if (rims.empty()) return;
  const auto meets_rim = [&](const RegionLaunch& launch) {
    return launch.box.empty() ||
           std::ranges::any_of(rims, [&](const Box3& rim) { return meet(launch.box, rim); });
  };
  if (std::ranges::all_of(launches_, meets_rim)) {
    const auto largest =
        std::ranges::max_element(launches_, {}, [](const auto& launch) { return launch.box.points(); });
    const std::vector<RegionLaunch> pieces = cut_between(rims, *largest);
    launches_.insert(launches_.erase(largest), pieces.begin(), pieces.end());
  }
  const auto behind = std::stable_partition(launches_.begin(), launches_.end(), meets_rim);
  launches_of_rims_ = behind - launches_.begin();
}

LaunchFacts StepPlan::facts(std::size_t launch) const {
  return planned_[launch].launch ? planned_[launch].launch->facts() : LaunchFacts{};
}

bool StepPlan::serves_shot() const {
  return std::ranges::all_of(planned_, [](const Planned& planned) {
    return planned.launch == nullptr || planned.launch->serves_shot();
  });
}

bool StepPlan::corrects_across_x() const {
  return std::ranges::all_of(planned_, [](const Planned& planned) {
    return planned.launch == nullptr || planned.launch->corrects_across_x();
  });
}

FieldTable StepPlan::fields() const {
  FieldTable table = make_field_table(arrays_of(problem_.equation), problem_.grid, problem_.boundary,
                                      kernels_.schedule->launches(problem_));
  for (const FieldRole role : kernels_.schedule->more_fields()) table.add(role);
  if (problem_.has_drives) table.add(FieldRole::next);
  if (layer_of(problem_.boundary).writes_memories_apart()) table.add(FieldRole::auxiliary_next);
  for (const RegionLaunch& launch : launches_) {
    if (launch.box.empty()) continue;
    const ShapeNeeds& shape = kernels_.of(launch.formula).needs;
    const bool is_inner = launch.formula == Formula::inner;
    if (is_inner && shape.v16) table.add(FieldRole::codes);
    if (!is_inner && shape.eta_field) table.add(FieldRole::eta);
  }
  return table;
}

LaunchArgs StepPlan::args_of(std::size_t number, LaunchArgs args) const {
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

void StepPlan::launch(Backend& backend, std::size_t number, LaunchArgs args, int lane) const {
  if (planned_[number].launch == nullptr) return;
  const RegionLaunch& launch = launches_[number];
  const ProfilingRegion region(launch.name), kernel(kernels_.of(launch.formula).name);
  backend.launch(*planned_[number].launch, args_of(number, args), lane);
}

}  // namespace minimod
