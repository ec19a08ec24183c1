#include "src/ranks/state_map.hpp"

#include <algorithm>

#include "src/solver/layer_corrections.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

/// The domain and its slabs, each with what its propagator is made for.
struct Cut {
  const Schedule& schedule;
  StepProblem domain;
  const std::vector<Slab>& slabs;
  std::vector<StepProblem> parts;
};

/// Fields like u: a slab has its own planes, the outer ones the halo outside too.
std::vector<StateRun> runs_of_field(const Cut& cut) {
  std::vector<StateRun> runs;
  const std::size_t plane = cut.domain.grid.layout.stride_z;
  const int halo = cut.domain.grid.radius;
  for (std::size_t i = 0; i < cut.slabs.size(); ++i) {
    const Slab& slab = cut.slabs[i];
    const std::size_t first = i == 0 ? 0 : slab.begin + halo;
    const std::size_t end = slab.end + (i + 1 == cut.slabs.size() ? 2 * halo : halo);
    const int plane_0 = cut.parts[i].grid.first_z;
    runs.push_back({static_cast<int>(i), (first - plane_0) * plane, first * plane, (end - first) * plane});
  }
  return runs;
}

/// Where the points of a box of the domain, or of a slab's, lie: a plane behind the other.
struct BoxStorage {
  Box3 box;
  std::int64_t first, plane;  ///< the first value, and those of a plane
};

BoxStorage storage_of(const RegionLaunch& launch, const Layout& field) {
  return {launch.box, plane_of_box(launch.phi, launch.box, field, launch.box.begin.z), launch.phi.stride_z};
}

void add_run(std::vector<StateRun>& runs, const Cut& cut, int rank, const BoxStorage& whole,
             const BoxStorage& part) {
  if (part.box.empty()) return;
  const Grid& here = cut.parts[rank].grid;
  int first = part.box.begin.z, end = part.box.end.z;
  if (here.ghosts_above > 0) first = std::max(first, here.own().begin.z);
  if (here.ghosts_below > 0) end = std::min(end, here.own().end.z);
  const auto in_part = part.first + (first - part.box.begin.z) * part.plane;
  const auto in_domain = whole.first + (first + here.first_z - whole.box.begin.z) * whole.plane;
  runs.push_back({rank, static_cast<std::size_t>(in_part), static_cast<std::size_t>(in_domain),
                  static_cast<std::size_t>((end - first) * part.plane)});
}

std::vector<StateRun> runs_of_phi(const Cut& cut) {
  std::vector<StateRun> runs;
  for (const RegionLaunch& whole : cut.schedule.launches(cut.domain)) {
    if (whole.formula == Formula::mixed || whole.formula == Formula::outer) return runs_of_field(cut);
    if (whole.formula != Formula::pml) continue;
    for (std::size_t i = 0; i < cut.slabs.size(); ++i) {
      for (const RegionLaunch& part : cut.schedule.launches(cut.parts[i])) {
        if (part.name != whole.name) continue;
        add_run(runs, cut, static_cast<int>(i), storage_of(whole, cut.domain.grid.layout),
                storage_of(part, cut.parts[i].grid.layout));
      }
    }
  }
  return runs;
}

std::vector<StateRun> runs_of_memory(const Cut& cut) {
  std::vector<StateRun> runs;
  for (const auto& whole : LayerCorrections::memories(cut.domain.grid, cut.domain.boundary)) {
    for (std::size_t i = 0; i < cut.slabs.size(); ++i) {
      for (const auto& part : LayerCorrections::memories(cut.parts[i].grid, cut.parts[i].boundary)) {
        if (part.face != whole.face) continue;
        add_run(runs, cut, static_cast<int>(i), {whole.box, whole.first, whole.plane},
                {part.box, part.first, part.plane});
      }
    }
  }
  return runs;
}

std::size_t count_of(const std::vector<StateRun>& runs) {
  std::size_t count = 0;
  for (const StateRun& run : runs) count += run.count;
  return count;
}

}  // namespace

std::vector<StatePart> state_of_domain(const StepProblem& domain, const Boundary& boundary,
                                       const std::vector<Slab>& slabs, const Schedule& schedule) {
  Cut cut{schedule, schedule.laid_out(domain), slabs, {}};
  for (const Slab& slab : slabs) {
    const StepProblem part = problem_of(slab, domain, boundary).with_ghosts(schedule.ghosts());
    cut.parts.push_back(schedule.laid_out(part));
  }
  std::vector<StatePart> parts;
  const auto add = [&](const char* name, std::vector<StateRun> runs) {
    const std::size_t size = count_of(runs);
    parts.push_back({name, size, std::move(runs)});
  };
  add("u", runs_of_field(cut));
  add("u_before", runs_of_field(cut));
  add("phi", runs_of_phi(cut));
  if (domain.boundary.kind != BoundaryKind::cpml) return parts;
  const std::vector<StateRun> memory = runs_of_memory(cut);
  if (memory.empty()) return parts;
  add("psi", memory);
  add("zeta", memory);
  return parts;
}

}  // namespace minimod
