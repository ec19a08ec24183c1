/// One launch after the other.
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

class SequenceStepper final : public Stepper {
 public:
  void step(const StepParts& parts, int number, bool timed) override {
    const int count = static_cast<int>(parts.plan.launches().size());
    const StencilArgs<float> args = parts.args();
    if (timed) parts.backend.mark(0);
    parts.workspace.clear();
    for (int i = 0; i < count; ++i) {
      parts.plan.launch(parts.backend, i, args);
      if (timed) parts.backend.mark(i + 1);
    }
    parts.finish_step(number, timed ? std::optional(count + 1) : std::nullopt);
  }

  [[nodiscard]] std::vector<TimedPart> timed_parts(const StepParts& parts) const override {
    std::vector<TimedPart> timed;
    const auto add = [&](const std::string& name, Formula formula, std::int64_t points) {
      const int mark = static_cast<int>(timed.size());
      timed.push_back({name, formula, points, parts.backend.seconds_between(mark, mark + 1)});
    };
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
