/// The whole domain, PML included, in launches of two steps.
#include "src/solver/schedules/pairs.hpp"

namespace minimod {

namespace {

class WholeStepper final : public PairStepper {
 public:
  [[nodiscard]] std::vector<TimedPart> timed_parts(const StepParts& parts) const override {
    return {{"whole", Formula::mixed, parts.plan.problem().grid.own().points(),
             parts.backend.seconds_between(0, 1) / 2}};
  }

 protected:
  void compute(const StepParts& parts, int number, float* first, float* second) override {
    parts.backend.mark(0);
    parts.workspace.renew();
    StencilArgs<float> args = parts.args();
    args.u_next = first;
    args.u_second = second;
    args.has_surface = parts.plan.problem().boundary.free_surface;
    parts.sources.feed(args, number);
    parts.plan.launch(parts.backend, 0, args);
    parts.sources.inject(parts.backend, second, number + 1);
    for (float* u : {first, second}) parts.corrections.close_surface(u);
    parts.backend.mark(1);
    parts.fields.advance_phi();
  }
};

class Whole final : public PairSchedule {
 public:
  Whole() : PairSchedule(true) {}
  [[nodiscard]] std::string name() const override { return "whole"; }
  [[nodiscard]] std::string summary() const override { return "the whole domain in launches of two steps"; }
  using PairSchedule::why_not;
  [[nodiscard]] std::string why_not(const Launches& inner) const override {
    return inner.whole ? "" : "has no launch of the whole domain";
  }
  [[nodiscard]] bool is_made_for(const Launches& inner) const override { return bool{inner.whole}; }
  [[nodiscard]] std::vector<RegionLaunch> launches(const StepProblem& problem) const override {
    return make_launches(problem.grid, problem.regions(), Decomposition::one);
  }
  /// Tiles begin at the domain's corner.
  [[nodiscard]] StepProblem laid_out(const StepProblem& problem) const override {
    StepProblem ours = problem;
    ours.grid.layout = make_grid(problem.grid.n, problem.grid.spacing, 0).layout;
    return ours;
  }
  [[nodiscard]] bool keeps_phi() const override { return true; }
  /// φ goes in once and out once for two steps, too.
  [[nodiscard]] double pml_bytes() const override { return inner_bytes(sizeof(float)) + sizeof(float); }
  [[nodiscard]] std::string sums(const CodeShape& shape) const override { return shape.sums + ", whole"; }
  [[nodiscard]] const PlanLaunch& launch_of(const Launches& shape, Formula /*formula*/) const override {
    return shape.whole;
  }
  [[nodiscard]] LaunchOrder order_of(const std::vector<RegionLaunch>& launches) const override {
    return {Schedule::order_of(launches).parts, 2};
  }
  [[nodiscard]] std::unique_ptr<Stepper> make_stepper() const override {
    return std::make_unique<WholeStepper>();
  }
};

}  // namespace

const Schedule& whole() {
  static const Whole schedule;
  return schedule;
}

}  // namespace minimod
