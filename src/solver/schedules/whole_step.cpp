/// The whole domain, PML included, in a launch a step.
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

class WholeStep final : public Schedule {
 public:
  [[nodiscard]] std::string name() const override { return "whole-step"; }
  [[nodiscard]] std::string summary() const override { return "the whole domain in a launch a step"; }
  [[nodiscard]] std::string why_not(const StepProblem& problem) const override {
    const bool has_layer =
        problem.decomposition == Decomposition::seven && problem.boundary.kind == BoundaryKind::pml;
    return has_layer ? "" : "needs the decomposition seven and the boundary pml";
  }
  [[nodiscard]] std::string why_not(const Launches& inner) const override {
    return inner.whole_step ? "" : "has no launch of one step of the whole domain";
  }
  [[nodiscard]] bool is_made_for(const Launches& inner) const override { return bool{inner.whole_step}; }
  [[nodiscard]] bool computes_rims_first() const override { return true; }
  [[nodiscard]] std::vector<RegionLaunch> launches(const StepProblem& problem) const override {
    return make_launches(problem.grid, problem.regions(), Decomposition::one);
  }
  /// Tiles begin at the domain's corner.
  [[nodiscard]] StepProblem laid_out(const StepProblem& problem) const override {
    StepProblem ours = problem;
    ours.grid.layout = make_grid(problem.grid.n, problem.grid.spacing, 0).layout;
    return ours;
  }
  [[nodiscard]] std::string sums(const CodeShape& shape) const override { return shape.sums + ", whole"; }
  [[nodiscard]] const PlanLaunch& launch_of(const Launches& shape, Formula /*formula*/) const override {
    return shape.whole_step;
  }
  [[nodiscard]] std::unique_ptr<Stepper> make_stepper() const override { return sequence().make_stepper(); }
};

}  // namespace

const Schedule& whole_step() {
  static const WholeStep schedule;
  return schedule;
}

}  // namespace minimod
