#include "validation/cases/runner.hpp"

#include "kernels/registry.hpp"
#include "src/base/error.hpp"
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

StepProblem problem_of(const Domain& domain) {
  return {domain.grid(), domain.boundary(), Decomposition::seven,
          domain.interpolation != Interpolation::nearest};
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
  return minimod::times(plan.dt * plan.record_every, plan.samples() - 1);
}

Runner::Runner(const KernelOptions& options, ReadShot read_shot) : options_(options), read_shot_(read_shot) {
  check_kernels(options);
  device_ = choose_device(without_trial(options), problem_of(Domain{{9, 9, 9}})).device;
}

Simulation Runner::start(const Domain& domain) {
  return start(domain, options_);
}

Simulation Runner::start(const Domain& domain, const Schedule& schedule) {
  KernelOptions options = options_;
  if (on_gpu() && !names_kernel() && options.schedule == nullptr) options.schedule = &schedule;
  return start(domain, options);
}

Simulation Runner::start(const Domain& domain, const KernelOptions& options) {
  DeviceChoice choice = choose_device(options, problem_of(domain));
  if (!choice.notes.empty()) throw Error(ExitCode::unavailable, choice.notes.front(), "");
  return start(domain, choice.kernels, std::move(choice.backend));
}

Simulation Runner::start(const Domain& domain, const CodeShape& shape) {
  const StepProblem problem = problem_of(domain);
  auto backend = choose_device(without_trial(options_), problem).backend;
  const KernelSet kernels = make_kernel_set(options_, problem, *backend, shape, shape);
  return start(domain, kernels, std::move(backend));
}

Simulation Runner::start(const Domain& domain, const KernelSet& kernels, std::unique_ptr<Backend> backend) {
  used_.insert(describe(kernels));
  Propagator propagator = make_propagator(*backend, domain, kernels);
  return {std::move(backend), kernels, std::move(propagator)};
}

std::vector<std::vector<double>> Runner::traces(const Domain& domain, Index3 source,
                                                const std::vector<double>& samples,
                                                const std::vector<Index3>& receivers, int steps) {
  Simulation simulation = start(domain);
  simulation.propagator.set_source(source, samples);
  return run_traces(simulation.propagator, receivers, steps);
}

std::vector<std::vector<double>> Runner::traces_between(const Domain& domain, Point3 source,
                                                        const std::vector<double>& samples,
                                                        const std::vector<Point3>& receivers, int steps) {
  Simulation simulation = start(domain);
  const auto place = [&](Point3 p) {
    return sinc_weights(p, domain.n, domain.interpolation, domain.free_surface);
  };
  std::vector<NodeWeights> places;
  places.reserve(receivers.size());
  for (const Point3& receiver : receivers) places.push_back(place(receiver));
  simulation.propagator.set_source_between(place(source), samples);
  simulation.propagator.set_receivers_between(places, steps + 1);
  return run_traces(simulation.propagator, receivers.size(), steps);
}

UserShot Runner::shot(const std::string& line) {
  ShotOptions options = read_shot_(line);
  options.kernels = options_;
  UserShot shot{make_plan(options), {}};
  const DeviceChoice choice = choose_device(options_, shot.plan.problem(), shot_size(shot.plan));
  if (!choice.notes.empty()) throw Error(ExitCode::unavailable, choice.notes.front(), "");
  used_.insert(describe(choice.kernels));
  const std::vector<float> values = ShotRunner(shot.plan, choice).run(shot.plan).traces;
  for (auto trace = values.begin(); trace != values.end(); trace += shot.plan.samples()) {
    shot.traces.emplace_back(trace, trace + shot.plan.samples());
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
