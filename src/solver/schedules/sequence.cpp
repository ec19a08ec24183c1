/// One launch after the other.
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

class SequenceStepper final : public Stepper {
 public:
  void step(const StepParts& parts, int number, bool timed) override {
    const StencilArgs<float> args = parts.args();
    int marks = 0;
    const auto mark = [&] {
      if (timed) parts.backend.mark(marks++);
    };
    mark();
    parts.workspace.clear();
    if (parts.plan.has_rims()) {
      parts.begin_with_rims(number);
      mark();
    }
    for (std::size_t i = 0; i < parts.plan.launches().size(); ++i) {
      parts.plan.launch(parts.backend, i, args);
      mark();
    }
    parts.finish_step(number, timed ? std::optional(marks) : std::nullopt);
  }

  [[nodiscard]] std::vector<TimedPart> timed_parts(const StepParts& parts) const override {
    std::vector<TimedPart> timed;
    const auto add = [&](const std::string& name, Formula formula, std::int64_t points) {
      const int mark = static_cast<int>(timed.size());
      timed.push_back({name, formula, points, parts.backend.seconds_between(mark, mark + 1)});
    };
    if (parts.plan.has_rims()) add("rims", Formula::mixed, parts.plan.rim_points());
    for (const RegionLaunch& launch : parts.plan.launches()) {
      add(launch.name, launch.formula, launch.box.points());
    }
    if (parts.corrections.absorbs()) add("layer", Formula::pml, parts.corrections.points());
    return timed;
  }
};

class Sequence final : public Schedule {
 public:
  [[nodiscard]] std::string name() const override { return "sequence"; }
  [[nodiscard]] std::string summary() const override { return "one launch after the other"; }
  [[nodiscard]] bool computes_rims_first() const override { return true; }
  [[nodiscard]] bool is_for_gpus() const override { return false; }
  [[nodiscard]] std::unique_ptr<Stepper> make_stepper() const override {
    return std::make_unique<SequenceStepper>();
  }
};

}  // namespace

const Schedule& sequence() {
  static const Sequence schedule;
  return schedule;
}

}  // namespace minimod
