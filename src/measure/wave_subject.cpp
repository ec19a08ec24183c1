#include <algorithm>
#include <utility>

#include "kernels/registry.hpp"
#include "src/base/error.hpp"
#include "src/choice/played.hpp"
#include "src/measure/subject.hpp"

namespace minimod {

namespace {

class WaveSubject final : public Subject {
 public:
  WaveSubject(Setup setup, DeviceChoice choice, const KernelOptions& options, BenchField field,
              std::vector<NamedKernels> named)
      : setup_(std::move(setup)),
        choice_(std::move(choice)),
        options_(options),
        field_(field),
        named_(std::move(named)),
        verification_(setup_) {}

  [[nodiscard]] Backend& backend() const override { return *choice_.backend; }
  [[nodiscard]] StreamRates stream_rates() const override {
    return choice_.stream_rates(Patience::of_figures);
  }
  [[nodiscard]] Extent3 grid() const override { return setup_.n; }
  [[nodiscard]] Precision precision() const override { return setup_.precision; }
  [[nodiscard]] const char* right() const override { return "reference"; }
  [[nodiscard]] std::string shown(const std::string& name) const override { return name; }
  void check_memory() const override {
    const std::vector<NamedKernels> least{{"reference", choice_.kernels}};
    check_measured_memory(setup_, *choice_.backend, named_.empty() ? least : named_);
  }

  [[nodiscard]] std::string why_not_here(const std::string& name) const override {
    return is_on_gpu() ? why_not(*kernels_of(name).inner, choice_.device) : "";
  }

  [[nodiscard]] std::optional<LaunchFacts> compile(const std::string& name) const override {
    LaunchArgs args(setup_.grid());
    args.box = args.inner = setup_.regions().inner;
    const Formula formula = setup_.equation == Equation::jacobi ? Formula::jacobi : Formula::inner;
    const auto planned =
        choice_.backend->plan(choice_.backend->launches_of(*kernels_of(name).inner).of(formula), args);
    return is_on_gpu() ? std::optional(planned->facts()) : std::nullopt;
  }

  [[nodiscard]] Verdict verify(const std::string& name) override {
    return verification_.of(*choice_.backend, kernels_of(name));
  }

  [[nodiscard]] bool plays(const std::string& name) const override {
    return minimod::plays(choice_.device, kernels_of(name));
  }
  void add_played(PlayedWork& work, const std::string& name, double steps) const override {
    if (plays(name)) work.add_steps(*kernels_of(name).inner, setup_.n, steps);
  }

  void prepare(const std::vector<std::string>&) override {
    part_ = make_measured_part(setup_, choice_);
    set_field(propagator(), options_, setup_, choice_, field_);
  }

  [[nodiscard]] std::string take(const std::string& name) override {
    if (part_.propagator == nullptr) prepare({});
    return why_not_taken(propagator(), kernels_of(name));
  }
  /// Noise ebbs away, a source swings on.
  void renew() override {
    if (field_ == BenchField::random) propagator().set_random_field(1);
  }
  void step() override { propagator().step(); }

  [[nodiscard]] std::vector<MeasuredPart> time_parts(int launches) override {
    const StepPlan& plan = propagator().plan();
    const int period = plan.kernels().schedule->order_of(plan.launches()).steps;
    std::vector<MeasuredPart> parts;
    for (const PartTimes& times : minimod::time_parts(propagator(), launches * period)) {
      if (times.part.points == 0) continue;
      parts.push_back(
          {times, model_of(times.part, plan.kernels(), setup_.regions()), launches_of(times.part)});
    }
    return parts;
  }

  [[nodiscard]] std::string why_not_measured() override {
    std::string why = minimod::why_not_measured(propagator());
    if (!why.empty()) set_field(propagator(), options_, setup_, choice_, field_);
    return why;
  }

  void end() override {
    if (propagator().extremes().finite) return;
    throw Error(ExitCode::internal, "the measured wavefield is not finite", "please report this");
  }

  [[nodiscard]] LaunchOrder order_of(const std::string& name) const override {
    const Schedule& schedule = *kernels_of(name).schedule;
    return schedule.order_of(schedule.launches(setup_.problem()));
  }

 private:
  [[nodiscard]] bool is_on_gpu() const { return choice_.device.kind == "cuda"; }
  [[nodiscard]] Propagator& propagator() const { return *part_.propagator; }

  [[nodiscard]] KernelSet kernels_of(const std::string& name) const {
    const auto set = std::ranges::find(named_, name, &NamedKernels::name);
    if (set != named_.end()) return set->kernels;
    return {&find_shape(name, setup_.radius, setup_.precision),
            &find_shape("reference", setup_.radius, setup_.precision)};
  }

  [[nodiscard]] std::vector<LaunchFacts> launches_of(const TimedPart& part) const {
    std::vector<LaunchFacts> facts;
    const StepPlan& plan = propagator().plan();
    for (std::size_t i = 0; is_on_gpu() && i < plan.launches().size(); ++i) {
      const RegionLaunch& launch = plan.launches()[i];
      if (launch.box.empty() || plan.kernels().schedule->part_of(launch) != part.name) continue;
      facts.push_back(plan.facts(i));
    }
    return facts;
  }

  Setup setup_;
  DeviceChoice choice_;
  const KernelOptions& options_;
  BenchField field_;
  std::vector<NamedKernels> named_;
  Verification verification_;
  DomainPart part_;  ///< made when it is needed first
};

}  // namespace

std::unique_ptr<Subject> make_wave_subject(Setup setup, DeviceChoice choice, const KernelOptions& options,
                                           BenchField field, std::vector<NamedKernels> named) {
  return std::make_unique<WaveSubject>(std::move(setup), std::move(choice), options, field, std::move(named));
}

}  // namespace minimod
