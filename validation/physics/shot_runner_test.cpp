/// Shots that follow each other on a device: each has the bits of a run of its own.
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "src/commands/options/shot_line.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/modeled_shot.hpp"
#include "validation/physics/schedule_run.hpp"

using namespace minimod;

namespace {

/// The shot that `line` says beside its grid.
SurveyPlan plan_of(const std::string& line) {
  return make_survey_plan(parse_shot("--allow-dispersion --wavelet ricker:f=30 --spacing 10 " + line));
}

ShotRunner runner_of(const SurveyPlan& plan, const DeviceChoice& choice) {
  return {plan.shared.problem, plan.shared.medium, choice};
}

DeviceChoice host_with(const SurveyPlan& plan, const KernelSet& kernels) {
  KernelOptions options;
  options.device.kind = DeviceOption::Kind::cpu;
  DeviceChoice choice = choose_device(options, plan.shared.problem.part());
  choice.kernels = kernels;
  return choice;
}

struct Runs {
  std::string shared;    ///< options of both shots
  std::string schedule;  ///< empty: launches in sequence
};

/// The bits of the second of two shots, beside those of a run of its own.
void check_shots_in_turn(const Runs& runs) {
  CAPTURE(runs.shared, runs.schedule);
  const CodeShape& shape = find_shape(runs.schedule == "whole" ? "reference" : "kokkos");
  KernelSet kernels{&shape, &shape};
  if (!runs.schedule.empty()) kernels.schedule = find_schedule(runs.schedule);
  const SurveyPlan first = plan_of(runs.shared + " --source 60,50,55");
  const SurveyPlan second = plan_of(runs.shared + " --source 93,71,64 --receivers line:10,30,20:150,70,90:7");
  const DeviceChoice choice = host_with(first, kernels);
  ShotRunner runner = runner_of(first, choice);
  const auto quiet = [](int) {};
  const Reals before = runner.run(first.first, {{}, {}, quiet}).traces;
  const ModeledShot in_turn = runner.run(second.first, {{}, {}, quiet});
  const ModeledShot alone = runner_of(second, choice).run(second.first, {{}, {}, quiet});
  CHECK(same_bits(in_turn.traces, alone.traces));
  CHECK(in_turn.result.extremes.max == alone.result.extremes.max);
  CHECK(in_turn.result.extremes.max > 0);
  CHECK(same_bits(runner.run(first.first, {{}, {}, quiet}).traces, before));
}

/// Looks behind some steps.
class Looks final : public StepObserver {
 public:
  explicit Looks(std::vector<int> wanted) : wanted_(std::move(wanted)) {}
  [[nodiscard]] int next_step(int after) const override {
    const auto next = std::find_if(wanted_.begin(), wanted_.end(), [&](int step) { return step > after; });
    return next == wanted_.end() ? std::numeric_limits<int>::max() : *next;
  }
  void look(const Propagator& propagator, int step) override {
    seen.push_back(step);
    greatest.push_back(propagator.extremes().max);
  }
  std::vector<int> seen;
  std::vector<float> greatest;

 private:
  std::vector<int> wanted_;
};

}  // namespace

TEST_CASE("Shots of one runner have the bits of runs of their own", "[physics]") {
  const std::string grid = "--grid 30,28,26 --steps 31 ";
  check_shots_in_turn({grid + "--pml-width 5", ""});
  check_shots_in_turn({grid + "--pml-width 0", ""});
  check_shots_in_turn({grid + "--pml-width 5 --free-surface", ""});
  check_shots_in_turn({grid + "--pml-width 5 --boundary cpml --free-surface", ""});
  check_shots_in_turn({grid + "--pml-width 5 --boundary sponge", ""});
  check_shots_in_turn({grid + "--pml-width 5 --interpolation sinc4", ""});
  check_shots_in_turn({grid + "--pml-width 5 --interpolation nearest", "beside"});
  check_shots_in_turn({grid + "--pml-width 5 --interpolation nearest", "whole"});  // ends on a step ahead
}

TEST_CASE("An observer looks behind the steps that it wants, and changes nothing", "[physics]") {
  const SurveyPlan plan = plan_of("--grid 24 --pml-width 4 --steps 70");
  const CodeShape& kokkos = find_shape("kokkos");
  const DeviceChoice choice = host_with(plan, {&kokkos, &kokkos});
  ShotRunner runner = runner_of(plan, choice);
  Looks some({0, 1, 7, 40, 70}), others({7, 8, 71});
  std::vector<int> progress;
  const ModeledShot watched =
      runner.run(plan.first, {{&some, &others}, {}, [&](int steps_done) { progress.push_back(steps_done); }});
  CHECK(some.seen == std::vector{0, 1, 7, 40, 70});
  CHECK(others.seen == std::vector{7, 8});
  CHECK(some.greatest[0] == 0);
  CHECK(some.greatest[4] == watched.result.extremes.max);
  CHECK(progress.back() == 70);
  CHECK(same_bits(watched.traces, runner.run(plan.first, {{}, {}, [](int) {}}).traces));
}
