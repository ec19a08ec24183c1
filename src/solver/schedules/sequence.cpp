/// One launch after the other.
#include <algorithm>

#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

class SequenceStepper final : public Stepper {
 public:
  void step(const StepParts& parts, int number, bool timed) override {
    if (timed) parts.laps.start();
    parts.workspace.renew();
    const LaunchArgs args = parts.args_of_shot(number);
    for (std::size_t i = 0; i < parts.plan.launches().size(); ++i) {
      parts.plan.launch(parts.backend, i, args);
      if (timed) parts.laps.lap();
      if (i + 1 == parts.plan.launches_of_rims()) parts.send_rims(number);
    }
    parts.finish_step(number, timed);
  }

  [[nodiscard]] std::vector<TimedPart> timed_parts(const StepParts& parts) const override {
    std::vector<TimedPart> timed;
    std::size_t lap = 0;
    const auto add = [&](const std::string& name, Formula formula, std::int64_t points) {
      auto part = std::ranges::find(timed, name, &TimedPart::name);  // pieces of a launch are one part
      if (part == timed.end()) part = timed.insert(part, {name, formula});
      part->points += points;
      part->seconds += parts.laps.seconds(lap++);
    };
    for (const RegionLaunch& launch : parts.plan.launches()) {
      add(launch.name, launch.formula, parts.plan.problem().grid.own_points(launch.box));
    }
    if (parts.corrections.absorbs())
      add("layer", Formula::pml, parts.corrections.points(parts.plan.corrects_across_x()));
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
