#include "validation/cases/means/runner.hpp"

#include "kernels/host/emulated_work.hpp"
#include "kernels/registry.hpp"
#include "src/base/error.hpp"
#include "src/choice/device_of_rank.hpp"
#include "src/job/shot/domain_cut.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

constexpr const char* automatic = "auto";

/// "inner" or "inner + pml", with a schedule that is not the plain one.
std::string describe(const KernelSet& kernels) {
  std::string name = kernels.inner->name;
  if (kernels.pml != kernels.inner) name += " + " + kernels.pml->name;
  if (kernels.schedule != &sequence()) name += " (" + kernels.schedule->name() + ")";
  return name;
}

/// Asks for the device alone: named kernels decide where it is, `auto` would start a trial.
KernelOptions without_trial(KernelOptions options) {
  if (options.kernel == automatic) options.kernel = "reference";
  if (options.pml_kernel == automatic) options.pml_kernel.clear();
  options.schedule = nullptr;
  return options;
}

}  // namespace

std::vector<double> UserShot::times() const {
  return minimod::times(plan.shared.time().record_dt(), plan.shared.time().samples() - 1);
}

Runner::Runner(const KernelOptions& options, const RankOptions& rank_options, ReadShot read_shot)
    : ranks_(Ranks::world()), options_(options), rank_options_(rank_options), read_shot_(read_shot) {
  check_kernels(options);
  const StepProblem any = adapted({{9, 9, 9}}).problem().domain;
  device_ = choose_devices(without_trial(options), rank_options, any, {}, ranks_).device;
}

Problem Runner::problem_of(const Domain& domain) const {
  Problem problem = domain.problem();
  problem.cut = cut_for(problem.domain, rank_options_, ranks_, ranks_.size());
  return problem;
}

void Runner::announce_emulated(const KernelSet& kernels, Extent3 n, int steps) const {
  if (on_gpu()) return;
  EmulatedWork work;
  work.add_steps(*kernels.inner, n, steps);
  ranks_.on_first([&] { work.announce(); });
}

DeviceChoice Runner::choose(const KernelOptions& options, const StepProblem& problem,
                            const ShotSize& shot) const {
  DeviceChoice choice = choose_devices(options, rank_options_, problem, shot, ranks_);
  ranks_.together([&] {
    if (!choice.notes.empty()) throw Error(ErrorKind::unavailable, choice.notes.front(), "");
  });
  return choice;
}

Simulation Runner::start(const Domain& given, int steps) {
  return start_adapted(adapted(given), steps, options_);
}

Simulation Runner::start(const Domain& given, int steps, const Schedule& schedule) {
  const Domain domain = adapted(given);
  KernelOptions options = options_;
  const bool is_free = on_gpu() && !names_kernel() && options.schedule == nullptr;
  if (is_free && schedule.takes(problem_of(domain).part())) {
    options.schedule = &schedule;
  }
  return start_adapted(domain, steps, options);
}

Simulation Runner::start_adapted(const Domain& domain, int steps, const KernelOptions& options) {
  const Problem problem = problem_of(domain);
  DeviceChoice choice = choose(options, problem.part());
  const KernelSet kernels = choice.kernels;
  return start_adapted(domain, problem, steps, kernels, std::move(choice));
}

Simulation Runner::start(const Domain& given, int steps, const CodeShape& shape) {
  const Domain domain = adapted(given);
  const Problem problem = problem_of(domain);
  DeviceChoice choice = choose(without_trial(options_), problem.part());
  const KernelSet kernels = make_kernel_set(options_, problem.part(), *choice.backend, shape, shape);
  return start_adapted(domain, problem, steps, kernels, std::move(choice));
}

Simulation Runner::start_adapted(const Domain& domain, const Problem& problem, int steps,
                                 const KernelSet& kernels, DeviceChoice choice) {
  used_.insert(describe(kernels));
  announce_emulated(kernels, domain.n, steps);
  return {std::move(choice.backend), problem, domain.medium(), kernels};
}

std::vector<std::vector<double>> Runner::traces(const Domain& domain, Index3 source,
                                                const std::vector<double>& samples,
                                                const std::vector<Index3>& receivers, int steps) {
  Simulation simulation = start(domain, steps);
  simulation.set_source(source, samples);
  return simulation.traces(receivers, steps);
}

std::vector<std::vector<double>> Runner::traces_between(const Domain& domain, Point3 source,
                                                        const std::vector<double>& samples,
                                                        const std::vector<Point3>& receivers, int steps) {
  Simulation simulation = start(domain, steps);
  const auto place = [&](Point3 p) {
    return sinc_weights(p, domain.n, domain.interpolation, domain.free_surface);
  };
  std::vector<NodeWeights> places;
  places.reserve(receivers.size());
  for (const Point3& receiver : receivers) places.push_back(place(receiver));
  simulation.set_source_between(place(source), samples);
  return simulation.traces_between(places, steps);
}

UserShot Runner::shot(const std::string& line) {
  ShotOptions options = read_shot_(line);
  options.kernels = options_;
  UserShot shot{make_survey_plan(options), {}};
  const RunPlan& shared = shot.plan.shared;
  const Problem problem = cut_domain(shared.problem, shot.plan, rank_options_, ranks_.size());
  const DeviceChoice choice = choose(options_, problem.part(), shot.plan.largest);
  used_.insert(describe(choice.kernels));
  announce_emulated(choice.kernels, problem.grid().n, problem.time.steps);
  ShotRunner runner(problem, shared.medium, choice);
  const std::vector<double> values = ranks_.from(0, runner.run(shot.plan.first).traces.as_doubles());
  for (auto trace = values.begin(); trace != values.end(); trace += problem.time.samples()) {
    shot.traces.emplace_back(trace, trace + problem.time.samples());
  }
  return shot;
}

bool Runner::names_kernel() const {
  return options_.kernel != automatic;
}

std::string Runner::take_kernels_used() {
  std::string all;
  for (const std::string& name : used_) all += (all.empty() ? "" : ", ") + name;
  used_.clear();
  return all;
}

}  // namespace minimod
