/// Linearised modelling of planned shots: the transpose of their gradient, and which changes it takes.
#include "src/job/gradient/born.hpp"

#include <cmath>
#include <numeric>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "kernels/random_field.hpp"
#include "src/base/error.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/job/gradient/shot_gradient.hpp"
#include "src/job/plan/survey_plan.hpp"

namespace minimod {

namespace {

constexpr double node_distance = 12;

std::vector<float> random_between(int seed, double least, double most, std::int64_t count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i)
    values.push_back(static_cast<float>(least + (most - least) * (1 + random_value(seed, i, 0, 0)) / 2));
  return values;
}

/// A shot over a random model, and a random change of it.
struct Linearised {
  std::vector<float> v, change;
  ShotOptions options;

  Linearised(const std::string& more, Extent3 n)
      : v(random_between(2, 1900, 2200, n.points())),
        change(random_between(3, -80, 80, n.points())),
        options(parse_shot("--source 60,80,60 --receivers line:30,100,96:220,100,96:7 --wavelet ricker:f=15 "
                           "--allow-dispersion --steps 70 --precision double --kernel reference "
                           "--schedule sequence --dt 0.0018 " +
                           more)) {
    const auto array = [&](const std::vector<float>& values) {
      return std::make_shared<ModelArray>(
          ModelArray{n, {node_distance, node_distance, node_distance}, values});
    };
    options.model.source = options.change.source = array_source;
    options.model.array = array(v);
    options.change.array = array(change);
  }
};

ShotHooks quietly() {
  ShotHooks hooks;
  hooks.progress = [](int) {};
  return hooks;
}

/// <J dV, dd> and <dV, transposed J dd>, where a gradient's shot is kept so.
void check_born_transpose(const std::string& more, Extent3 n, HistoryKind history, double tolerance) {
  const Linearised linear(more, n);
  const SurveyPlan plan = make_survey_plan(linear.options);
  const RunPlan& shared = plan.shared;
  const DeviceChoice choice = choose_device(linear.options.kernels, shared.problem.domain, plan.largest);
  HistoryOptions kept;
  kept.kind = history;
  GradientRunner gradient(shared.problem, shared.medium, choice, kept);
  BornRunner born(shared.problem, shared.medium, choice, *shared.change);
  const std::vector<double> traces = born.run(plan.first, quietly()).traces.as_doubles();
  std::vector<double> residual;
  for (std::size_t i = 0; i < traces.size(); ++i)
    residual.push_back(random_value(5, static_cast<int>(i), 0, 0));
  static_cast<void>(gradient.model(plan.first, quietly()));
  const std::vector<double> by_velocity =
      gradient.derive(plan.first, residual, quietly()).correlation.values.as_doubles();
  REQUIRE(by_velocity.size() == linear.change.size());
  const double of_traces = std::inner_product(traces.begin(), traces.end(), residual.begin(), 0.0);
  const double of_nodes =
      std::inner_product(by_velocity.begin(), by_velocity.end(), linear.change.begin(), 0.0);
  CAPTURE(more);
  CHECK(std::abs(of_traces - of_nodes) < tolerance * std::abs(of_nodes));
}

void check_born_transpose(const std::string& more, Extent3 n) {
  check_born_transpose(more, n, HistoryKind::automatic, 1e-12);
  check_born_transpose(more, n, HistoryKind::boundary, 1e-11);
}

}  // namespace

TEST_CASE("The linearised traces of a planned shot are the transpose of its gradient", "[unit]") {
  constexpr Extent3 grid{22, 16, 18};
  for (const char* more :
       {"--boundary cpml --pml-velocity 2400 --pml-width 6",
        "--boundary sponge --pml-width 5 --record-dt 0.0054",
        "--boundary pml --pml-velocity 2400 --pml-width 5 --free-surface --interpolation sinc4",
        "--boundary cpml --pml-velocity 2400 --pml-width 4 --time-dispersion as-is --order 4"})
    check_born_transpose(more, grid);
  check_born_transpose("--boundary cpml --pml-velocity 2400 --pml-width 4 --extrude 16", {grid.x, 1, grid.z});
}

TEST_CASE("A change that does not fit the run's nodes is refused", "[unit]") {
  Linearised linear("--pml-width 5", {22, 16, 18});
  const auto plan_with = [&](Extent3 n) {
    linear.change = random_between(3, -80, 80, n.points());
    linear.options.change.array = std::make_shared<ModelArray>(ModelArray{n, {}, linear.change});
    return make_survey_plan(linear.options).shared.change->n;
  };
  CHECK(plan_with({22, 16, 18}) == Extent3{22, 16, 18});
  CHECK_THROWS_AS(plan_with({22, 17, 18}), Error);
  linear.options.model.crop = Box3{{0, 2, 0}, {22, 16, 18}};
  CHECK(plan_with({22, 16, 18}) == Extent3{22, 14, 18});
  CHECK(plan_with({22, 14, 18}) == Extent3{22, 14, 18});
}

}  // namespace minimod
