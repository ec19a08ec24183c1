/// The PML regions beside each other and beside the inner box, which leaves some multiprocessors to them.
#include <algorithm>
#include <array>
#include <map>

#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

/// Multiprocessors that the inner box takes beside the PML. An H200 needs two thirds of them to reach the
/// memory's limit.
int blocks_beside_pml(int multiprocessors) {
  return multiprocessors * 2 / 3;
}

class BesideStepper final : public Stepper {
 public:
  void step(const StepParts& parts, int number, bool timed) override {
    if (timed) parts.laps.start();
    const Fields& fields = parts.fields;
    const std::array<const void*, 3> where{fields.at(FieldRole::state).data, fields.at(parts.earlier).data,
                                           fields.at(FieldRole::before).data};
    parts.backend.replay(graphs_[where], [&] { launch(parts); });
    if (timed) parts.laps.lap();
    parts.finish_step(number, false);
  }

  [[nodiscard]] std::vector<TimedPart> timed_parts(const StepParts& parts) const override {
    const Regions regions = parts.plan.problem().regions();
    return {{"step", Formula::mixed, regions.inner.points() + regions.pml_points(), parts.laps.seconds()}};
  }

  void forget() override { graphs_.clear(); }

 private:
  static void launch(const StepParts& parts) {
    const int count = static_cast<int>(parts.plan.launches().size());
    const LaunchArgs args = parts.args();
    parts.workspace.clear();
    parts.backend.fork(count - 1);
    for (int i = 0; i < count; ++i) parts.plan.launch(parts.backend, i, args, i);
    parts.backend.join();
  }

  /// All launches of a step, by where u, u⁻ and u⁺ are.
  std::map<std::array<const void*, 3>, std::unique_ptr<LaunchGraph>> graphs_;
};

class Beside final : public Schedule {
 public:
  [[nodiscard]] std::string name() const override { return "beside"; }
  [[nodiscard]] std::string summary() const override { return "PML beside the inner box"; }
  [[nodiscard]] bool launches_at_once() const override { return true; }
  [[nodiscard]] std::string why_not(const StepProblem& problem) const override {
    const bool has_regions = problem.decomposition == Decomposition::seven && problem.boundary.has_formula();
    return has_regions ? "" : "needs the decomposition seven and the boundary pml";
  }
  [[nodiscard]] int blocks_of(Formula formula, double share, int all) const override {
    const int inner = blocks_beside_pml(all);
    return formula == Formula::inner ? inner : std::max(1, static_cast<int>(share * (all - inner)));
  }
  [[nodiscard]] std::string part_of(const RegionLaunch& /*launch*/) const override { return "step"; }
  [[nodiscard]] std::unique_ptr<Stepper> make_stepper() const override {
    return std::make_unique<BesideStepper>();
  }
};

}  // namespace

const Schedule& beside() {
  static const Beside schedule;
  return schedule;
}

}  // namespace minimod
