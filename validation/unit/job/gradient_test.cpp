/// The gradient of a planned shot: differences of the misfit, reversals, misfits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "kernels/random_field.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/job/gradient/shot_gradient.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {

namespace {

using Catch::Approx;
using Kind = ReversalAction::Kind;

constexpr Extent3 nodes{22, 16, 18};
constexpr double spacing = 12;

std::vector<float> random_model(int seed) {
  std::vector<float> v;
  for (int z = 0; z < nodes.z; ++z)
    for (int y = 0; y < nodes.y; ++y)
      for (int x = 0; x < nodes.x; ++x) v.push_back(2000 + 60 * z / 4 + 40 * random_value(seed, x, y, z));
  return v;
}

/// A shot over such a model, whose misfit is from traces of zeros or from those of another.
class Inversion {
 public:
  explicit Inversion(const std::string& options, Extent3 n = nodes,
                     const std::string& places = "--source 60,80,60 --receivers line:30,100,96:220,100,96:7 ")
      : options_(parse_shot(places +
                            "--wavelet ricker:f=15 --allow-dispersion "
                            "--steps 70 --precision double --kernel reference --schedule sequence " +
                            options)),
        n_(n) {}

  /// Where a call goes on, and after how many looks at the steps it is stopped.
  GradientCheckpoints* checkpoints = nullptr;
  int looks = std::numeric_limits<int>::max();

  /// Misfit and, where asked for, gradient of a model.
  double misfit(const std::vector<float>& v, ShotGradient* gradient = nullptr,
                std::optional<std::size_t> memory = {}) {
    auto array = std::make_shared<ModelArray>(ModelArray{n_, {spacing, spacing, spacing}, v});
    options_.model.source = array_source;
    options_.model.array = array;
    const SurveyPlan plan = make_survey_plan(options_);
    const RunPlan& shared = plan.shared;
    const DeviceChoice choice = choose_device(options_.kernels, shared.problem.domain, plan.largest);
    const TimeAxis& time = shared.time();
    const SampleTimes times{static_cast<std::size_t>(time.samples()), time.record_dt(), time.first};
    ShotHooks hooks;
    hooks.progress = [](int) {};
    if (observed_.empty()) {
      observed_ = ShotRunner(shared.problem, shared.medium, choice).run(plan.first, hooks).traces;
      return 0;
    }
    const auto of_traces = [&](const Reals& traces) { return misfit_of(traces, observed_, times, kind); };
    if (gradient == nullptr)
      return of_traces(ShotRunner(shared.problem, shared.medium, choice).run(plan.first, hooks).traces).value;
    GradientRunner runner(shared.problem, shared.medium, choice, {memory, every, every, 1, states_on});
    pieces = runner.reversal().steps_computed;
    CHECK(runner.has_states_on_disk() == !states_on.empty());
    hooks.is_stopped = [&] { return --looks < 0; };
    *gradient = runner.run(plan.first, hooks, of_traces, checkpoints);
    return gradient->misfit.value;
  }

  MisfitOptions kind;
  int every = 1;
  int pieces = 0;
  std::string states_on;

 private:
  ShotOptions options_;
  Extent3 n_;
  Reals observed_;
};

/// The derivative along a direction, of the gradient and by a central difference.
void check_direction(const std::string& options, Extent3 n, const MisfitOptions& kind) {
  Inversion inversion(options, n);
  inversion.kind = kind;
  std::vector<float> truth = random_model(1), model = random_model(2);
  truth.resize(static_cast<std::size_t>(n.points()));
  model.resize(truth.size());
  inversion.misfit(truth);
  ShotGradient gradient;
  inversion.misfit(model, &gradient);
  const Reals& g = gradient.sums.correlation.values;
  REQUIRE(g.size() == model.size());
  std::vector<float> up = model, down = model;
  double predicted = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const float change = 0.015625F * std::round(4 * random_value(5, static_cast<int>(i), 0, 0));
    up[i] += change;
    down[i] -= change;
    predicted += g[i] * (double{up[i]} - down[i]);
  }
  const double difference = inversion.misfit(up) - inversion.misfit(down);
  CAPTURE(options);
  CHECK(difference == Approx(predicted).epsilon(2e-6));
}

/// Follows the actions of a reversal with so many slots.
void check_reversal(int steps, int every, int drives, int states) {
  CAPTURE(steps, every, drives, states);
  const Reversal reversal = make_reversal(steps, every, drives, states);
  int at = 0, next = steps, kept_from = 0, kept_to = 0, computed = 0;
  std::vector<int> slots(static_cast<std::size_t>(states), -1);
  for (const auto& [kind, step, slot] : reversal.actions) {
    if (kind == Kind::save) {
      REQUIRE(step == at);
      slots.at(static_cast<std::size_t>(slot)) = at;
    } else if (kind == Kind::restore) {
      REQUIRE(step == (slot < 0 ? 0 : slots.at(static_cast<std::size_t>(slot))));
      at = step;
    } else if (kind == Kind::use) {
      REQUIRE(kept_to == next);
      REQUIRE(kept_from == step);
      next = step;
    } else {
      REQUIRE(step > at);
      if (kind == Kind::record) {
        REQUIRE(step - at <= drives * every);
        kept_from = at;
        kept_to = step;
      }
      computed += step - at;
      at = step;
    }
  }
  CHECK(next == 0);
  CHECK(computed == reversal.steps_computed);
  if (drives * every >= steps) CHECK(computed == steps);
}

}  // namespace

TEST_CASE("The gradient of a planned shot is the derivative of its misfit by the model's nodes", "[unit]") {
  MisfitOptions l2, normalized{MisfitKind::normalized, TimeWindow{0.02, 0.11, 0.02}, {}};
  l2.weights = {1, 0.5, 0, 2, -1, 1, 3};
  normalized.weights = {2, 1, 1, 0.25, 1, 0, 1};
  for (const char* options :
       {"--boundary cpml --pml-width 6 --pml-velocity 2400 --dt 0.0018",
        "--boundary pml --pml-width 5 --pml-velocity 2400 --dt 0.0018 --free-surface --interpolation sinc4",
        "--boundary sponge --pml-width 5 --dt 0.0018 --time-dispersion as-is --record-dt 0.0054",
        "--boundary cpml --pml-width 4 --pml-velocity 2400 --dt 0.0018 --record-dt 0.0036 --order 4"})
    for (const MisfitOptions& kind : {l2, normalized}) check_direction(options, nodes, kind);
}

TEST_CASE("At twenty nodes the gradient is the central difference of the misfit", "[unit]") {
  for (const char* boundary : {"cpml", "pml", "sponge"}) {
    Inversion inversion(text("--boundary ", boundary, " --pml-width 5 --dt 0.0018"));
    inversion.misfit(random_model(1));
    const std::vector<float> model = random_model(2);
    ShotGradient gradient;
    inversion.misfit(model, &gradient);
    const Reals::Values<double>& g = gradient.sums.correlation.values.of<double>();
    const double greatest = std::abs(*std::ranges::max_element(g, {}, [](double v) { return std::abs(v); }));
    for (int k = 0; k < 20; ++k) {
      const auto share = 0.5 + 0.5 * random_value(9, k, 0, 0);
      const auto node = static_cast<std::size_t>(share * static_cast<double>(model.size() - 1));
      std::vector<float> up = model, down = model;
      up[node] += 0.25F;
      down[node] -= 0.25F;
      const double change = double{up[node]} - down[node];
      const double difference = (inversion.misfit(up) - inversion.misfit(down)) / change;
      CAPTURE(boundary, node, g[node] / greatest, difference / g[node] - 1);
      CHECK(std::abs(difference - g[node]) < 1e-6 * std::abs(g[node]) + 1e-11 * greatest);
    }
  }
}

TEST_CASE("The gradient of a problem with a plane of symmetry has it, too", "[unit]") {
  constexpr Extent3 odd{22, 17, 18};
  const auto symmetric_model = [&](int seed) {
    std::vector<float> v;
    for (int z = 0; z < odd.z; ++z) {
      for (int y = 0; y < odd.y; ++y) {
        for (int x = 0; x < odd.x; ++x)
          v.push_back(2000 + 40 * random_value(seed, x, std::min(y, odd.y - 1 - y), z));
      }
    }
    return v;
  };
  for (const char* boundary : {"cpml", "pml", "sponge"}) {
    Inversion inversion(text("--boundary ", boundary, " --pml-width 5 --dt 0.0018"), odd,
                        "--source 60,96,60 --receivers line:30,96,96:220,96,96:7 ");
    inversion.misfit(symmetric_model(1));
    ShotGradient gradient;
    inversion.misfit(symmetric_model(2), &gradient);
    const Reals::Values<double>& g = gradient.sums.correlation.values.of<double>();
    double greatest = 0, worst = 0;
    for (int z = 0; z < odd.z; ++z) {
      for (int y = 0; y < odd.y; ++y) {
        for (int x = 0; x < odd.x; ++x) {
          const auto at = [&](int row) { return g[(std::size_t(z) * odd.y + row) * odd.x + x]; };
          greatest = std::max(greatest, std::abs(at(y)));
          worst = std::max(worst, std::abs(at(y) - at(odd.y - 1 - y)));
        }
      }
    }
    CAPTURE(boundary, greatest, worst);
    CHECK(greatest > 0);
    CHECK(worst < 1e-12 * greatest);
  }
}

TEST_CASE("The gradient by a section's nodes is that of all nodes that it became", "[unit]") {
  check_direction("--boundary cpml --pml-width 4 --pml-velocity 2400 --dt 0.0018 --extrude 16",
                  {nodes.x, 1, nodes.z}, {});
}

TEST_CASE("A gradient has the same bits however few states and drives are kept", "[unit]") {
  Inversion inversion("--boundary pml --pml-width 4 --pml-velocity 2400 --dt 0.0018");
  inversion.misfit(random_model(1));
  ShotGradient all;
  inversion.misfit(random_model(2), &all);
  CHECK(inversion.pieces == 70);
  const std::size_t drive = static_cast<std::size_t>(30 * 24 * 26) * sizeof(double);
  int of_nine = 0;
  for (const std::size_t drives : {2, 9, 20, 40}) {
    ShotGradient few;
    inversion.misfit(random_model(2), &few, drives * drive);
    CHECK(inversion.pieces > 70);
    if (drives == 9) of_nine = inversion.pieces;
    CHECK(few.sums.correlation.values == all.sums.correlation.values);
    CHECK(few.sums.source_illumination.values == all.sums.source_illumination.values);
  }
  const TemporaryDirectory folder;
  inversion.states_on = folder.path();
  ShotGradient few;
  inversion.misfit(random_model(2), &few, 9 * drive);
  CHECK(inversion.pieces < of_nine);
  CHECK(few.sums.correlation.values == all.sums.correlation.values);
  CHECK(folder.entries() == 0);
}

TEST_CASE("A folder for states is refused before a shot runs", "[unit]") {
  const ShotOptions options = parse_shot("--model constant:2000 --grid 40 --steps 30 --kernel reference");
  const SurveyPlan plan = make_survey_plan(options);
  const DeviceChoice choice = choose_device(options.kernels, plan.shared.problem.domain, plan.largest);
  const TemporaryDirectory folder;
  const auto kind_of_refusal = [&](const std::string& states_on, int shots) {
    return outcome_of([&] {
             check_gradient_memory(plan.shared.problem, plan, choice, {{}, 1, 1, shots, states_on}, 1);
           })
        .kind;
  };
  CHECK(kind_of_refusal(folder.path(), 1) == ErrorKind::none);
  CHECK(kind_of_refusal(folder.path() / "none", 1) == ErrorKind::cannot_create);
  CHECK(kind_of_refusal(folder.path(), std::numeric_limits<int>::max()) == ErrorKind::io);
}

TEST_CASE("A gradient that was stopped goes on from its checkpoint to the same bits", "[unit]") {
  const TemporaryDirectory folder;
  const std::size_t drive = static_cast<std::size_t>(30 * 24 * 26) * sizeof(double);
  const auto file = [&](int i) { return folder.path() / text("shot.checkpoint.", i, ".h5"); };
  const auto look = [&](const std::string& identity) {
    return GradientCheckpoints(folder.path() / "shot.checkpoint", identity, 1e-9);
  };
  for (const char* boundary : {"cpml", "pml", "sponge"}) {
    for (const std::size_t drives : {100, 9}) {
      CAPTURE(boundary, drives);
      Inversion inversion(text("--boundary ", boundary, " --pml-width 4 --dt 0.0018"));
      inversion.misfit(random_model(1));
      inversion.every = drives == 9 ? 2 : 1;
      ShotGradient all, rest;
      inversion.misfit(random_model(2), &all, drives * drive);
      GradientCheckpoints first = look("one");
      CHECK(first.steps_done() == 0);
      inversion.checkpoints = &first;
      inversion.looks = drives == 9 ? 110 : 111;  // the shot has 70, the transpose even and odd ones
      CHECK_THROWS_WITH(inversion.misfit(random_model(2), &rest, drives * drive),
                        Catch::Matchers::ContainsSubstring("stopped"));
      inversion.looks = std::numeric_limits<int>::max();
      CHECK((std::filesystem::exists(file(0)) && std::filesystem::exists(file(1))));
      GradientCheckpoints second = look("one");
      CHECK((second.steps_done() > 5 && second.steps_done() < 70));
      inversion.checkpoints = &second;
      inversion.misfit(random_model(2), &rest, drives * drive);
      CHECK(rest.misfit.value == all.misfit.value);
      CHECK(rest.misfit.derivative == all.misfit.derivative);
      CHECK(rest.sums.correlation.values == all.sums.correlation.values);
      CHECK(rest.sums.source_illumination.values == all.sums.source_illumination.values);
      CHECK(rest.sums.receiver_illumination.values == all.sums.receiver_illumination.values);
      CHECK(look("other").steps_done() == 0);
      CHECK_FALSE(std::filesystem::exists(file(0)));
    }
  }
}

TEST_CASE("A gradient of every k-th step is that of all as long as they sample it", "[unit]") {
  CHECK(steps_by_nyquist(25, 1e-3) == 13);
  CHECK(steps_by_nyquist(25, 1) == 1);
  Inversion inversion("--boundary cpml --pml-width 4 --pml-velocity 2400 --dt 0.0018");
  inversion.kind.window = TimeWindow{0.02, 0.07, 0.05};
  inversion.misfit(random_model(1));
  ShotGradient all, thinned;
  inversion.misfit(random_model(2), &all);
  inversion.every = 3;
  inversion.misfit(random_model(2), &thinned);
  const Reals &exact = all.sums.correlation.values, &found = thinned.sums.correlation.values;
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    difference += std::pow(found[i] - exact[i], 2);
    norm += std::pow(exact[i], 2);
  }
  CHECK(std::sqrt(difference / norm) < 1e-3);
  const std::size_t drive = static_cast<std::size_t>(30 * 24 * 26) * sizeof(double);
  ShotGradient few;
  inversion.misfit(random_model(2), &few, 5 * drive);
  CHECK(inversion.pieces > 70);
  CHECK(few.sums.correlation.values == found);
}

TEST_CASE("A reversal hands out every drive once, last first, and keeps to what it has", "[unit]") {
  for (const int steps : {1, 2, 17, 100}) {
    for (const int drives : {1, 3, 10, 100}) {
      for (const int states : {0, 1, 2, 5}) {
        for (const int every : {1, 4}) check_reversal(steps, every, drives, states);
      }
    }
  }
}

TEST_CASE("More states make a reversal cheaper", "[unit]") {
  int before = 1 << 30;
  for (const int states : {0, 1, 2, 4, 8, 99}) {
    const int computed = make_reversal(1000, 1, 10, states).steps_computed;
    CHECK(computed < before);
    before = computed;
  }
  CHECK(before == 1990);  // each piece but the last once more
}

TEST_CASE("A reversal computes as few steps as memory allows", "[unit]") {
  const ReversalMemory enough{0, 1000, true}, some{0, 300, true}, little{0, 3, true};
  CHECK(plan_reversal(100, 1, 10, 30, enough).steps_computed == 100);
  const Reversal planned = plan_reversal(100, 1, 10, 30, some);
  CHECK(planned.steps_computed < 200);
  CHECK(planned.drives * 10 + planned.states * 30 <= 300);
  CHECK_THROWS(plan_reversal(100, 1, 10, 30, little));
  // On a GPU states lie beside the drives, unless the host's memory saves steps.
  CHECK(plan_reversal(100, 1, 10, 30, {540, 10000, false}).states_are_beside);
  const Reversal apart = plan_reversal(100, 1, 10, 30, {200, 10000, false});
  CHECK_FALSE(apart.states_are_beside);
  CHECK(apart.steps_computed < plan_reversal(100, 1, 10, 30, {200, 0, false}).steps_computed);
}

}  // namespace minimod
