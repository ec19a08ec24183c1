/// The whole domain, PML included, in a launch a step.
#include "src/solver/schedules/whole_domain.hpp"

namespace minimod {

namespace {

class WholeStep final : public WholeDomainSchedule {
 public:
  [[nodiscard]] std::string name() const override { return "whole-step"; }
  [[nodiscard]] std::string summary() const override { return "the whole domain in a launch a step"; }
  [[nodiscard]] std::string why_not(const StepProblem& problem) const override {
    return has_layer(problem) ? "" : "needs the decomposition seven and the boundary pml";
  }
  [[nodiscard]] std::string why_not(const LaunchPlanners& inner) const override {
    return inner.whole_step ? "" : "has no launch of one step of the whole domain";
  }
  [[nodiscard]] bool is_made_for(const LaunchPlanners& inner) const override {
    return bool{inner.whole_step};
  }
  [[nodiscard]] bool computes_rims_first() const override { return true; }
  [[nodiscard]] bool is_for_gpus() const override { return false; }
  [[nodiscard]] const LaunchPlanner& planner_of(const LaunchPlanners& shape,
                                                Formula /*formula*/) const override {
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
