/// Common parts of the schedules whose launches do the whole domain, PML included.
#pragma once

#include "src/solver/schedule.hpp"

namespace minimod {

class WholeDomainSchedule : public Schedule {
 public:
  [[nodiscard]] std::vector<RegionLaunch> launches(const StepProblem& problem) const override {
    return make_launches(problem.grid, problem.regions(), Decomposition::one);
  }
  /// Tiles begin at the domain's corner.
  [[nodiscard]] StepProblem laid_out(const StepProblem& problem) const override {
    StepProblem ours = problem;
    ours.grid.layout = make_grid(problem.grid.n, problem.grid.spacing, 0, problem.grid.radius).layout;
    return ours;
  }
  [[nodiscard]] bool gains_by_sides() const override { return true; }
  /// Name of the order of sums: a GPU's kernels have one of their own, the host's kernels that of `evaluate`.
  [[nodiscard]] std::string sums(const CodeShape& shape) const override {
    const std::string of_evaluate = CodeShape().sums;
    return shape.sums == of_evaluate ? of_evaluate : shape.sums + ", whole";
  }

 protected:
  /// Whether the layer is one that they compute.
  [[nodiscard]] static bool has_layer(const StepProblem& problem) {
    return problem.decomposition == Decomposition::seven && problem.boundary.has_formula();
  }
};

}  // namespace minimod
