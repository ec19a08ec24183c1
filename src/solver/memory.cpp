#include "src/solver/memory.hpp"

#include <numeric>

#include "src/solver/layer_corrections.hpp"
#include "src/solver/receivers.hpp"
#include "src/solver/schedule.hpp"
#include "src/solver/source.hpp"
#include "src/solver/workspace.hpp"

namespace minimod {

std::size_t bytes_needed(const Backend& backend, const StepProblem& without_ghosts, const KernelSet& kernels,
                         const ShotSize& shot) {
  const StepProblem problem = without_ghosts.with_ghosts(kernels.schedule->ghosts());
  const StepPlan plan(backend, problem, kernels);
  std::size_t needed = 0;
  const auto add = [&](const std::vector<std::size_t>& allocations) {
    for (const std::size_t bytes : allocations) needed += backend.granted_bytes(bytes);
  };
  add(Fields::allocations(plan.problem().grid, plan.phi_places(), plan.needs()));
  add(LayerCorrections::allocations(problem.grid, problem.boundary));
  add(Workspace::allocations(plan.workspace_bytes()));
  if (shot.source_nodes > 0)
    add(Sources::allocations(shot.source_nodes, shot.source_samples, problem.grid.precision));
  if (shot.receivers > 0)
    add(Receivers::allocations(shot.receivers, problem.between_nodes, shot.batch, problem.grid.precision));
  return needed;
}

std::size_t state_bytes(const StepProblem& problem, const Schedule& schedule) {
  const auto sum = [](const std::vector<std::size_t>& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
  };
  const StepProblem laid_out = schedule.laid_out(problem);
  const auto fields = Fields::allocations(laid_out.grid, phi_places_of(schedule.launches(laid_out)), {});
  return sum(fields) - fields.front() +  // one of the three is (V dt)^2
         sum(LayerCorrections::allocations(problem.grid, problem.boundary));
}

}  // namespace minimod
