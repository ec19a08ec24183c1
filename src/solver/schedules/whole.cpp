/// The whole domain, PML included, in launches of two steps.
#include "src/solver/schedules/whole_domain.hpp"

namespace minimod {

namespace {

/// Every second step only goes on to what the first has computed.
class WholeStepper final : public Stepper {
 public:
  void step(const StepParts& parts, int number, bool /*timed*/) override {
    Fields& fields = parts.fields;
    if (!is_ahead_) {
      compute(parts, number);
      fields.swap(FieldRole::before, FieldRole::next);
    }
    fields.swap(FieldRole::state, FieldRole::before);
    if (is_ahead_) fields.swap(FieldRole::state, FieldRole::second);
    is_ahead_ = !is_ahead_;
  }
  [[nodiscard]] std::vector<TimedPart> timed_parts(const StepParts& parts) const override {
    return {{"whole", Formula::mixed, parts.plan.problem().grid.own().points(), parts.laps.seconds() / 2}};
  }
  [[nodiscard]] FieldRole newest() const override { return is_ahead_ ? FieldRole::second : FieldRole::state; }
  [[nodiscard]] FieldRole earlier() const override { return is_ahead_ ? FieldRole::next : FieldRole::second; }
  [[nodiscard]] Ready edge_above() const override { return edge_above_; }
  [[nodiscard]] bool is_ahead() const override { return is_ahead_; }
  void set_ahead(bool ahead) override { is_ahead_ = ahead; }

 private:
  /// u at the two steps after step `number`.
  void compute(const StepParts& parts, int number) {
    Fields& fields = parts.fields;
    parts.laps.start();
    parts.workspace.renew();
    LaunchArgs args = parts.args();
    args.u_next = fields.at(FieldRole::next).data;
    args.u_second = fields.at(FieldRole::second).data;
    args.pages.u_next = fields.pages(FieldRole::next);
    args.pages.u_second = fields.pages(FieldRole::second);
    args.has_surface = parts.plan.problem().boundary.free_surface;
    parts.sources.feed(args, number);
    const int counts = parts.neighbours != nullptr ? parts.plan.counts_of_rim(0) : 0;
    if (counts > 0) args.rim_done = parts.workspace.rim_done();
    if (parts.neighbours != nullptr) parts.neighbours->open_exchange();
    parts.plan.launch(parts.backend, 0, args);
    edge_above_ = parts.workspace.when_rim_is_done(counts);
    for (const FieldRole role : {FieldRole::next, FieldRole::second}) {
      for (const PlacedField& u : fields.all(role)) parts.corrections.close_surface(u);
    }
    parts.laps.lap();
    fields.swap(FieldRole::auxiliary, FieldRole::auxiliary_next);
  }

  bool is_ahead_ = false;  ///< the second step waits for its turn
  Ready edge_above_;
};

class Whole final : public WholeDomainSchedule {
 public:
  [[nodiscard]] std::string name() const override { return "whole"; }
  [[nodiscard]] std::string summary() const override { return "the whole domain in launches of two steps"; }
  [[nodiscard]] std::string why_not(const StepProblem& problem) const override {
    if (problem.equation != Equation::wave) return "has launches of the wave alone";
    const bool has_stencil =
        problem.grid.radius <= stencil_radius && problem.grid.precision == Precision::float32;
    return has_layer(problem) && has_stencil && !problem.several_sources
               ? ""
               : "needs an order up to 8 in single, seven, pml and one source";
  }
  [[nodiscard]] std::string why_not(const LaunchPlanners& kernel) const override {
    return kernel.whole ? "" : "has no launch of the whole domain";
  }
  [[nodiscard]] bool is_made_for(const LaunchPlanners& inner) const override { return bool{inner.whole}; }
  [[nodiscard]] int steps_of_exchange() const override { return 2; }
  [[nodiscard]] std::vector<FieldRole> more_fields() const override {
    return {FieldRole::next, FieldRole::second, FieldRole::auxiliary_next};
  }
  [[nodiscard]] const LaunchPlanner& planner_of(const LaunchPlanners& shape,
                                                Formula /*formula*/) const override {
    return shape.whole;
  }
  /// u, u⁻ and V² read, u⁺ and u⁺⁺ written.
  [[nodiscard]] double inner_bytes(double value, double velocity) const override {
    return (4 * value + velocity) / 2;
  }
  /// φ goes in once and out once for two steps, too.
  [[nodiscard]] double pml_bytes(double value) const override { return inner_bytes(value, value) + value; }
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
