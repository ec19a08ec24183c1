/// A domain cut into slabs along z, one a rank.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/solver/step_plan.hpp"

namespace minimod {

/// The planes begin <= z < end of a domain.
struct Slab {
  int begin = 0, end = 0;
  int room_for_ghosts = 0;  ///< planes beyond each cut of the domain that all slabs may compute, too
  [[nodiscard]] int planes() const { return end - begin; }
  [[nodiscard]] bool contains(int z) const { return z >= begin && z < end; }
  friend bool operator==(const Slab&, const Slab&) = default;
};

/// Points of a layer take about so many times as long as others: what a cut goes by until that is measured
/// (src/choice/layer_cost.hpp). Of the kernels that `auto` takes (perf/references): 2.2 of the portable one
/// on a CPU, 1.8 to 2.5 of the regions of `tma_ring`.
inline constexpr double usual_layer_cost = 2.2;

/// Planes of a domain by number, true for those at which no slab should begin; empty: any will do.
using PlanesToSpare = std::vector<bool>;

/// As many slabs as `ranks`, so that each costs about the same, with room for the ghosts of every schedule
/// where there are planes for that. A cut moves to the nearest plane that is not to be spared, where there is
/// one. Error 64 where the thinnest would be thinner than neighbours need, whatever the cost.
[[nodiscard]] std::vector<Slab> cut_by_cost(const StepProblem& domain, int ranks,
                                            double layer_cost = usual_layer_cost,
                                            const PlanesToSpare& spared = {});

/// Slabs of so many planes. Error 64 where they are not the domain's planes, or one is too thin.
[[nodiscard]] std::vector<Slab> cut_by_planes(const StepProblem& domain, const std::vector<int>& planes);

/// The same of a grid of `all` planes without layers, of which slab i needs least(i), `for_what`.
[[nodiscard]] std::vector<Slab> cut_by_planes(int all, const std::vector<int>& planes,
                                              const std::function<int(int)>& least,
                                              const std::string& for_what);

/// Problem that a slab's kernels must fit, without ghosts. The layers along z lie in the outer slabs alone.
[[nodiscard]] StepProblem problem_of(const Slab& slab, const StepProblem& domain, const Boundary& boundary);

/// Boundary of a slab, with ghosts perhaps, and with its part of the profiles along z. `boundary`: of the
/// domain.
[[nodiscard]] Boundary boundary_of(const StepProblem& slab, const Boundary& boundary, double dt);

/// "210, 190", of many the first ones.
[[nodiscard]] std::string planes_text(const std::vector<Slab>& slabs);

}  // namespace minimod
