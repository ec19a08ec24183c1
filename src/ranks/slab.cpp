#include "src/ranks/slab.hpp"

#include <algorithm>
#include <numeric>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/solver/schedule.hpp"
#include "src/solver/schedules.hpp"

namespace minimod {

namespace {

/// Planes that slab `i` of `count` needs: the halo that a neighbour wants, behind the layer, which it must
/// not see; under a free surface the planes that are mirrored. With ghosts, these and a halo, and the layer
/// behind them and the plane beside them, across which the damping must not change.
int least_planes(const StepProblem& domain, int i, int count, int ghosts) {
  const BoundarySpec& boundary = domain.boundary;
  int outside = 0;
  if (i == 0) outside += boundary.free_surface ? 1 : boundary.widths.top;
  if (i == count - 1) outside += boundary.widths.bottom;
  const int least = domain.grid.radius + outside;
  return ghosts == 0 ? least : std::max({least, domain.grid.radius + ghosts, outside + ghosts + 1});
}

/// The most ghosts for which all slabs have those planes.
int room_for_ghosts(const StepProblem& domain, const std::vector<int>& planes) {
  const int count = static_cast<int>(planes.size());
  const auto have_room = [&](int ghosts) {
    for (int i = 0; i < count; ++i) {
      if (planes[i] < least_planes(domain, i, count, ghosts)) return false;
    }
    return true;
  };
  int ghosts = 0;
  while (count > 1 && have_room(ghosts + 1)) ++ghosts;
  return ghosts;
}

/// Ghosts of the schedule that asks for most.
int most_ghosts() {
  int most = 0;
  for (const Schedule* schedule : all_schedules()) most = std::max(most, schedule->ghosts());
  return most;
}

/// Costs of the planes of the domain, in points of the inner box.
std::vector<double> costs_of(const StepProblem& domain, double layer_cost) {
  const Extent3 n = domain.grid.n;
  const Box3 inner = domain.boundary.inner_box(n);
  const double all = double(n.x) * n.y, middle = double(inner.extent().x) * inner.extent().y;
  std::vector<double> costs(n.z, layer_cost * all);
  for (int z = inner.begin.z; z < inner.end.z; ++z) costs[z] = middle + layer_cost * (all - middle);
  return costs;
}

/// The plane from `least` to `most` that is nearest to `z` and not to be spared; `z` where all are.
int nearest_to_cut(int z, int least, int most, const PlanesToSpare& spared) {
  const auto may_cut = [&](int plane) { return plane >= least && plane <= most && !spared[plane]; };
  for (int away = 0; !spared.empty() && away <= most - least; ++away) {
    if (may_cut(z - away)) return z - away;
    if (may_cut(z + away)) return z + away;
  }
  return z;
}

}  // namespace

std::vector<Slab> cut_by_planes(int all, const std::vector<int>& planes, const std::function<int(int)>& least,
                                const std::string& for_what) {
  const int sum = std::accumulate(planes.begin(), planes.end(), 0), count = static_cast<int>(planes.size());
  if (sum != all) {
    throw Error(ErrorKind::parameter, text("the slabs have ", sum, " planes, the grid has ", all),
                text("give ", option("slabs"), " a number a rank, layers included"));
  }
  std::vector<Slab> slabs;
  for (int i = 0; i < count; ++i) {
    if (count > 1 && planes[i] < least(i)) {
      throw Error(ErrorKind::parameter,
                  text("the slab of rank ", i, " has ", planes[i], " planes, it needs ", least(i), " (",
                       for_what, ')'),
                  "take fewer ranks, or a grid with more planes");
    }
    const int begin = slabs.empty() ? 0 : slabs.back().end;
    slabs.push_back({begin, begin + planes[i]});
  }
  return slabs;
}

std::vector<Slab> cut_by_planes(const StepProblem& domain, const std::vector<int>& planes) {
  const auto count = static_cast<int>(planes.size());
  std::vector<Slab> slabs = cut_by_planes(
      domain.grid.n.z, planes, [&](int i) { return least_planes(domain, i, count, 0); },
      text("its layer and ", domain.grid.radius, " for a neighbour"));
  for (Slab& slab : slabs) slab.room_for_ghosts = room_for_ghosts(domain, planes);
  return slabs;
}

/// Each cut lies where the planes before it have cost their share, as far as the slabs beside it allow.
std::vector<Slab> cut_by_cost(const StepProblem& domain, int ranks, double layer_cost,
                              const PlanesToSpare& spared) {
  const std::vector<double> costs = costs_of(domain, layer_cost);
  const double all = std::accumulate(costs.begin(), costs.end(), 0.0);
  std::vector<int> planes(ranks), least(ranks), least_behind(ranks + 1);
  for (const int ghosts : {most_ghosts(), 0}) {
    for (int i = ranks - 1; i >= 0; --i) {
      least[i] = least_planes(domain, i, ranks, ghosts);
      least_behind[i] = least_behind[i + 1] + least[i];
    }
    if (least_behind[0] <= domain.grid.n.z) break;
  }
  if (least_behind[0] > domain.grid.n.z) {
    throw Error(ErrorKind::parameter,
                text("the slabs of ", ranks, " ranks need ", least_behind[0], " planes (layers and ",
                     domain.grid.radius, " for a neighbour), the grid has ", domain.grid.n.z),
                "take fewer ranks, or a grid with more planes");
  }
  int z = 0;
  double spent = 0;
  for (int i = 0; i < ranks; ++i) {
    const int begin = z, first = begin + least[i];
    const int last =
        i == ranks - 1 ? domain.grid.n.z : std::max(first, domain.grid.n.z - least_behind[i + 1]);
    while (z < last && (z < first || i == ranks - 1 || spent + costs[z] / 2 < all * (i + 1) / ranks)) {
      spent += costs[z++];
    }
    if (i < ranks - 1) z = nearest_to_cut(z, first, last, spared);
    spent = std::accumulate(costs.begin(), costs.begin() + z, 0.0);
    planes[i] = z - begin;
  }
  return cut_by_planes(domain, planes);
}

StepProblem problem_of(const Slab& slab, const StepProblem& domain, const Boundary& boundary) {
  const int all = domain.grid.n.z;
  if (slab.planes() == all) return domain;
  StepProblem part = domain;
  part.boundary = cut_along_z(boundary, slab.begin > 0, slab.end < all);
  part.grid = make_grid({domain.grid.n.x, domain.grid.n.y, slab.planes()}, domain.grid.spacing, part.boundary,
                        domain.grid.difference(), domain.grid.precision);
  part.grid.first_z = slab.begin;
  part.room_for_ghosts = slab.room_for_ghosts;
  return part;
}

Boundary boundary_of(const StepProblem& slab, const Boundary& boundary, double dt) {
  if (!slab.boundary.is_cut()) return boundary;
  return make_boundary(slab.boundary, slab.grid.n, slab.grid.spacing, dt);
}

std::string planes_text(const std::vector<Slab>& slabs) {
  return escaped(joined(slabs, ", ", &Slab::planes), 60);
}

}  // namespace minimod
