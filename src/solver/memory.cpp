#include "src/solver/memory.hpp"

#include "src/solver/layer_corrections.hpp"
#include "src/solver/receivers.hpp"
#include "src/solver/source.hpp"
#include "src/solver/workspace.hpp"

namespace minimod {

std::size_t bytes_needed(const Backend& backend, const StepProblem& problem, const KernelSet& kernels,
                         const ShotSize& shot) {
  const StepPlan plan(backend, problem, kernels);
  std::size_t needed = 0;
  const auto add = [&](const std::vector<std::size_t>& allocations) {
    for (const std::size_t bytes : allocations) needed += backend.granted_bytes(bytes);
  };
  add(Fields::allocations(problem.grid, problem.boundary, problem.decomposition, plan.needs()));
  add(LayerCorrections::allocations(problem.grid, problem.boundary));
  add(Workspace::allocations(plan.workspace_bytes()));
  if (shot.source_nodes > 0) add(Sources::allocations(shot.source_nodes, shot.source_samples));
  if (shot.receivers > 0) add(Receivers::allocations(shot.receivers, problem.between_nodes, shot.batch));
  return needed;
}

}  // namespace minimod
