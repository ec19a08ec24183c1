/// The inner box in launches of two steps, the PML regions before and after.
#include <algorithm>

#include "src/solver/schedules/pairs.hpp"

namespace minimod {

namespace {

/// Of a slab both steps have the ghosts, too, where the second is wrong: there the exchange behind it brings
/// the neighbours'. φ is right there all the same, since it looks along z only where η changes along z.
class TwoStepsStepper final : public PairStepper {
 public:
  [[nodiscard]] std::vector<TimedPart> timed_parts(const StepParts& parts) const override {
    const Grid& grid = parts.plan.problem().grid;
    const std::int64_t inner = grid.own_points(parts.plan.problem().regions().inner);
    const auto seconds = [&](int mark) { return parts.backend.seconds_between(mark, mark + 1); };
    return {{"inner", Formula::inner, inner, seconds(1) / 2},
            {"pml", Formula::pml, grid.own().points() - inner, (seconds(0) + seconds(2)) / 2}};
  }

 protected:
  /// The inner box's second step reads the PML's first around it; the PML's second reads the inner box's
  /// first.
  void compute(const StepParts& parts, int number, float* first, float* second) override {
    const StencilArgs<float> now = parts.args();
    parts.backend.mark(0);
    launch_pml(parts, now.u, now.u_before, first, [] {});
    StencilArgs<float> inner = now;
    inner.u_next = first;
    inner.u_second = second;
    if (parts.plan.problem().regions().inner.contains(parts.sources.box().begin)) {
      parts.sources.feed(inner, number);
    } else {
      parts.sources.inject(parts.backend, first, number);
    }
    parts.backend.mark(1);
    parts.plan.launch(parts.backend, 0, inner);
    parts.backend.mark(2);
    launch_pml(parts, first, now.u, second, [&] { parts.send_rims(second, number + 1); });
    parts.inject(second, number + 1);
    parts.backend.mark(3);
  }

 private:
  /// `behind_rims`: what follows the launches that reach the cuts of a slab, where others are left.
  template <class Work>
  static void launch_pml(const StepParts& parts, const float* u, const float* u_before, float* u_next,
                         const Work& behind_rims) {
    parts.workspace.clear();
    StencilArgs<float> args = parts.args();
    args.u = u;
    args.u_before = u_before;
    args.u_next = u_next;
    for (std::size_t i = 1; i < parts.plan.launches().size(); ++i) {
      if (i == parts.plan.launches_of_rims()) behind_rims();
      parts.plan.launch(parts.backend, i, args);
    }
  }
};

class TwoSteps final : public PairSchedule {
 public:
  TwoSteps() : PairSchedule(false) {}
  [[nodiscard]] std::string name() const override { return "two-steps"; }
  [[nodiscard]] std::string summary() const override { return "inner box in launches of two steps"; }
  using PairSchedule::why_not;
  [[nodiscard]] std::string why_not(const Launches& inner) const override {
    return inner.two_steps ? "" : "has no launch of two steps";
  }
  [[nodiscard]] bool is_made_for(const Launches& inner) const override { return bool{inner.two_steps}; }
  [[nodiscard]] bool computes_rims_first() const override { return true; }
  [[nodiscard]] const PlanLaunch& launch_of(const Launches& shape, Formula formula) const override {
    return formula == Formula::inner ? shape.two_steps : shape.of(formula);
  }
  [[nodiscard]] std::string part_of(const RegionLaunch& launch) const override {
    return launch.formula == Formula::inner ? launch.name : "pml";
  }
  /// The PML's launches, the inner box's, and the PML's again.
  [[nodiscard]] LaunchOrder order_of(const std::vector<RegionLaunch>& launches) const override {
    const std::vector<std::string> parts = Schedule::order_of(launches).parts;
    const std::string pml = "pml";
    const auto count = std::ranges::count(parts, pml);
    LaunchOrder order{std::vector<std::string>(count, pml), 2};
    std::ranges::copy_if(parts, std::back_inserter(order.parts),
                         [&](const auto& part) { return part != pml; });
    order.parts.insert(order.parts.end(), count, pml);
    return order;
  }
  [[nodiscard]] std::unique_ptr<Stepper> make_stepper() const override {
    return std::make_unique<TwoStepsStepper>();
  }
};

}  // namespace

const Schedule& two_steps() {
  static const TwoSteps schedule;
  return schedule;
}

}  // namespace minimod
