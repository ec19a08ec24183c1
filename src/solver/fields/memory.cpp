#include "src/solver/fields/memory.hpp"

#include "src/solver/fields/workspace.hpp"
#include "src/solver/receivers.hpp"
#include "src/solver/schedule.hpp"
#include "src/solver/source.hpp"

namespace minimod {

std::size_t bytes_needed(const Backend& backend, const StepProblem& without_ghosts, const KernelSet& kernels,
                         const ShotSize& shot) {
  const StepProblem problem = without_ghosts.with_ghosts(kernels.schedule->ghosts());
  const StepPlan plan(backend, problem, kernels);
  std::size_t needed = 0;
  const auto add = [&](const std::vector<std::size_t>& allocations) {
    for (const std::size_t bytes : allocations) needed += backend.granted_bytes(bytes);
  };
  for (const Field& field : plan.fields().fields) needed += backend.granted_bytes(field.bytes());
  add(Workspace::allocations(plan.workspace_bytes()));
  if (shot.source_nodes > 0) {
    add(Sources::allocations(shot.source_nodes, shot.source_samples, problem.grid.precision,
                             problem.equation));
  }
  if (shot.receivers > 0)
    add(Receivers::allocations(shot.receivers, problem.between_nodes, shot.batch, problem.grid.precision));
  return needed;
}

std::size_t state_bytes(const StepProblem& problem, const Schedule& schedule) {
  std::size_t bytes = 0;
  for (const Field& field : schedule.fields(problem).state(false)) bytes += field.bytes();
  return bytes;
}

}  // namespace minimod
