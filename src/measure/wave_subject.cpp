#include <algorithm>
#include <utility>

#include "kernels/registry.hpp"
#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/choice/emulated.hpp"
#include "src/job/outputs/record.hpp"
#include "src/measure/paper_tables.hpp"
#include "src/measure/subject.hpp"

namespace minimod {

namespace {

constexpr int timed_steps = 15;  // for the times of the single launches

/// The paper's seconds of 1000 steps on its three GPUs, null where it does not have the shape.
Json paper_seconds(const std::string& name) {
  static const Json tables = Json::parse(paper_tables);
  for (const Json& row : tables["table2"]["rows"]) {
    if (row["name"] == name) return row["seconds"];
  }
  return nullptr;
}

/// Points a second, in units of 10^9, of those parts of a step that have the formula, by the slowest rank;
/// null where they have no time of their own.
Json rate_of(const std::vector<TimedPart>& parts, Formula formula, const DomainCut& cut) {
  struct Sum {
    double points = 0, seconds = 0;
  };
  Sum mine, all;
  for (const TimedPart& part : parts) {
    if (part.formula != formula) continue;
    mine.points += static_cast<double>(part.points);
    mine.seconds += part.seconds;
  }
  for (const Sum& of_rank : cut.gather(mine)) {
    all = {all.points + of_rank.points, std::max(all.seconds, of_rank.seconds)};
  }
  return all.seconds > 0 ? Json(all.points / all.seconds * 1e-9) : Json(nullptr);
}

class WaveSubject final : public Subject {
 public:
  WaveSubject(Problem setup, DeviceChoice choice, const KernelOptions& options, BenchField field,
              std::vector<NamedKernels> named)
      : setup_(std::move(setup)),
        choice_(std::move(choice)),
        options_(options),
        field_(field),
        named_(std::move(named)),
        verification_(setup_) {}

  [[nodiscard]] Backend& backend() const override { return *choice_.backend; }
  [[nodiscard]] StreamRates stream_rates() const override {
    return choice_.stream_rates(Thoroughness::of_figures);
  }
  [[nodiscard]] Extent3 grid() const override { return setup_.grid().n; }
  [[nodiscard]] Precision precision() const override { return setup_.grid().precision; }
  [[nodiscard]] const char* right() const override { return "reference"; }
  [[nodiscard]] std::string shown(const std::string& name) const override { return name; }
  [[nodiscard]] Json identity(const std::string& name) const override { return {{"name", name}}; }
  [[nodiscard]] Json described(const std::string& name) const override {
    const KernelSet kernels = kernels_of(name);
    return {{"family", kernels.inner->family},
            {"kernels", {{"inner", kernels.inner->name}, {"pml", kernels.pml->name}}},
            {"schedule", kernels.schedule->name()}};
  }
  void check_memory() const override {
    const std::vector<NamedKernels> least{{"reference", choice_.kernels}};
    check_measured_memory(setup_, *choice_.backend, named_.empty() ? least : named_);
  }

  [[nodiscard]] std::string why_not_here(const std::string& name) const override {
    return is_on_gpu() ? why_not(*kernels_of(name).inner, choice_.device) : "";
  }

  [[nodiscard]] std::optional<LaunchFacts> compile(const std::string& name) const override {
    LaunchArgs args(setup_.grid());
    args.box = args.inner = setup_.domain.regions().inner;
    const LaunchFacts facts =
        choice_.backend->plan(choice_.backend->planners_of(*kernels_of(name).inner).inner, args)->facts();
    return is_told(facts) ? std::optional(facts) : std::nullopt;
  }

  [[nodiscard]] Verdict verify(const std::string& name) override {
    return verification_.of(*choice_.backend, kernels_of(name));
  }

  [[nodiscard]] bool emulates(const std::string& name) const override {
    return minimod::emulates(choice_.device, kernels_of(name));
  }
  void add_emulated(EmulatedWork& work, const std::string& name, double steps) const override {
    if (emulates(name)) work.add_steps(*kernels_of(name).inner, setup_.grid().n, steps);
  }

  void prepare(const std::vector<std::string>&) override {
    part_ = make_measured_part(setup_, choice_);
    set_field(propagator(), options_, setup_, choice_, field_);
  }

  [[nodiscard]] std::string take(const std::string& name) override {
    if (part_.propagator == nullptr) prepare({});
    std::string why = why_no_part(part_, kernels_of(name), options_, setup_, choice_, field_);
    taken_ = name;
    return why.empty() ? why_not_taken(propagator(), kernels_of(name), setup_.cut) : why;
  }
  /// Noise ebbs away, a source swings on.
  void renew() override {
    if (field_ == BenchField::random) propagator().set_random_field(1);
  }
  void step() override { propagator().step(); }

  [[nodiscard]] TimedRuns timed_runs(int steps, int warm_up, const RunsWanted& wanted) override {
    return minimod::timed_runs(
        {*choice_.backend, setup_.cut, [this] { step(); }, [this] { return part_.exchanged(); }},
        setup_.slab(), steps, warm_up, wanted);
  }
  [[nodiscard]] std::optional<Transport> transport() const override { return part_.transport(); }

  void add_figures(Json& record, const TimedRuns& runs, int steps, const StreamRates& stream) override {
    std::vector<TimedPart> parts;
    for (const PartTimes& times : minimod::time_parts(propagator(), std::min(timed_steps, steps))) {
      parts.push_back(times.part);
    }
    const double seconds = record["seconds"]["median"].get<double>();
    const double gbyte = steps * counted_bytes(setup_, kernels_of(taken_)) * 1e-9 / seconds;
    const Json of_layer = rate_of(parts, Formula::pml, setup_.cut);
    const bool has_pml = facts_of(setup_.domain.boundary.kind).has_formula;
    record.update({{"seconds_per_1000_steps", seconds * 1000 / steps},
                   {"fields", propagator().fields().grid().in_chunks() ? "chunks" : "rows"},
                   {"gpt_per_s_inner", rate_of(parts, Formula::inner, setup_.cut)},
                   {"gpt_per_s_pml", has_pml ? of_layer : Json(nullptr)},
                   {"gb_per_s", gbyte},
                   {"share_of_ceiling", gbyte / ceiling_of(setup_, stream)},
                   {"regions", regions_record(parts)},
                   {"launch", launches_record()},
                   {"paper_seconds",
                    setup_.domain.equation == Equation::wave ? paper_seconds(taken_) : Json(nullptr)}});
    if (!has_pml) record["gpt_per_s_layer"] = of_layer;  // over the points of its layers
    if (!part_.neighbours) return;
    RankShare mine = runs.mine;
    mine.wait_seconds = parts.back().seconds;
    record["ranks"] =
        ranks_record(setup_.cut.gather(mine), transport(), setup_.cut.layer_cost, setup_.grid().n);
  }

  [[nodiscard]] std::vector<MeasuredPart> time_parts(int launches) override {
    const StepPlan& plan = propagator().plan();
    const int period = plan.kernels().schedule->order_of(plan.launches()).steps;
    std::vector<MeasuredPart> parts;
    for (const PartTimes& times : minimod::time_parts(propagator(), launches * period)) {
      if (times.part.points == 0) continue;
      parts.push_back({times, model_of(times.part, plan.kernels(), setup_.domain.regions()),
                       facts_of_launches(times.part)});
    }
    return parts;
  }

  [[nodiscard]] std::string why_not_measured() override {
    std::string why = minimod::why_not_measured(propagator(), setup_.cut);
    if (!why.empty()) set_field(propagator(), options_, setup_, choice_, field_);
    return why;
  }

  void end() override {
    if (propagator().extremes().finite) return;
    throw Error(ErrorKind::internal, "the measured wavefield is not finite", "please report this");
  }

  [[nodiscard]] LaunchOrder order_of(const std::string& name) const override {
    const Schedule& schedule = *kernels_of(name).schedule;
    return schedule.order_of(schedule.launches(setup_.part()));
  }

 private:
  [[nodiscard]] bool is_on_gpu() const { return choice_.device.is_gpu(); }
  [[nodiscard]] Propagator& propagator() const { return *part_.propagator; }

  [[nodiscard]] KernelSet kernels_of(const std::string& name) const {
    const auto set = std::ranges::find(named_, name, &NamedKernels::name);
    if (set != named_.end()) return set->kernels;
    return {&find_shape(name, setup_.grid().radius, setup_.grid().precision, setup_.domain.equation),
            &find_shape("reference", setup_.grid().radius, setup_.grid().precision, setup_.domain.equation)};
  }

  /// Whether a device tells what a launch takes of it: the host does not, nor a GPU through Kokkos.
  [[nodiscard]] static bool is_told(const LaunchFacts& facts) { return facts.threads > 0; }

  /// Resources of the GPU that each launch of a step takes; null where no launch tells any.
  [[nodiscard]] Json launches_record() const {
    const StepPlan& plan = propagator().plan();
    Json record = Json::object();
    bool is_any_told = false;
    for (std::size_t i = 0; i < plan.launches().size(); ++i) {
      const LaunchFacts facts = plan.facts(i);
      record[plan.launches()[i].name] = to_record(facts);
      is_any_told = is_any_told || is_told(facts);
    }
    return is_any_told ? record : Json();
  }

  [[nodiscard]] std::vector<LaunchFacts> facts_of_launches(const TimedPart& part) const {
    std::vector<LaunchFacts> facts;
    const StepPlan& plan = propagator().plan();
    for (std::size_t i = 0; i < plan.launches().size(); ++i) {
      const RegionLaunch& launch = plan.launches()[i];
      if (launch.box.empty() || plan.kernels().schedule->part_of(launch) != part.name) continue;
      if (is_told(plan.facts(i))) facts.push_back(plan.facts(i));
    }
    return facts;
  }

  Problem setup_;
  DeviceChoice choice_;
  const KernelOptions& options_;
  BenchField field_;
  std::vector<NamedKernels> named_;
  Verification verification_;
  std::string taken_;
  DomainPart part_;  ///< made when it is needed first
};

}  // namespace

std::unique_ptr<Subject> make_wave_subject(Problem setup, DeviceChoice choice, const KernelOptions& options,
                                           BenchField field, std::vector<NamedKernels> named) {
  return std::make_unique<WaveSubject>(std::move(setup), std::move(choice), options, field, std::move(named));
}

}  // namespace minimod
