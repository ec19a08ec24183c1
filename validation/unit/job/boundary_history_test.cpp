/// Gradients of shots whose steps are taken back, against those of the drives themselves.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "kernels/random_field.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/device/field_kernels.hpp"
#include "src/job/gradient/shot_gradient.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {

namespace {

constexpr Extent3 model_nodes{22, 16, 18};
constexpr double model_spacing = 12;
constexpr int steps_of_shot = 160;
const std::string double_precision = " --precision double --kernel reference --schedule sequence ";

/// A planned shot over nodes of 1500 to 4500 m/s.
struct Planned {
  std::vector<float> v;
  ShotOptions options;
  SurveyPlan plan;
  DeviceChoice choice;

  explicit Planned(const std::string& more, Extent3 n = model_nodes)
      : options(parse_shot(text("--receivers line:30,80,96:220,80,96:7 --wavelet ricker:f=15 "
                                "--allow-dispersion --dt 0.001 --steps ",
                                steps_of_shot, ' ', more))) {
    for (int i = 0; i < n.points(); ++i) v.push_back(3000 + 1500 * random_value(2, i, 0, 0));
    options.model.source = array_source;
    options.model.array =
        std::make_shared<ModelArray>(ModelArray{n, {model_spacing, model_spacing, model_spacing}, v});
    plan = make_survey_plan(options);
    choice = choose_device(options.kernels, plan.shared.problem.domain, plan.largest);
  }

  [[nodiscard]] GradientRunner runner(const HistoryOptions& history) const {
    return {plan.shared.problem, plan.shared.medium, choice, history};
  }
  /// By half the sum of the squared traces.
  [[nodiscard]] GradientSums gradient(const HistoryOptions& history,
                                      GradientCheckpoints* checkpoints = nullptr,
                                      int looks = std::numeric_limits<int>::max()) const {
    GradientRunner made = runner(history);
    ShotHooks hooks;
    hooks.progress = [](int) {};
    hooks.is_stopped = [&] { return --looks < 0; };
    const auto misfit = [](const Reals& traces) { return misfit_with(traces.as_doubles(), traces); };
    return made.run(plan.first, hooks, misfit, checkpoints).sums;
  }
};

HistoryOptions boundary_saving(int every = 1, HistoryKind kind = HistoryKind::boundary) {
  HistoryOptions history;
  history.every = history.illumination_every = every;
  history.kind = kind;
  return history;
}

double difference(const NodeValues& found, const NodeValues& exact) {
  double rest = 0, norm = 0;
  REQUIRE(found.values.size() == exact.values.size());
  for (std::size_t i = 0; i < exact.values.size(); ++i) {
    rest += std::pow(found.values[i] - exact.values[i], 2);
    norm += std::pow(exact.values[i], 2);
  }
  return std::sqrt(rest / norm);
}

void check_against_drives(const Planned& shot, int every, double limit, double limit_in_16_bits) {
  const GradientSums exact = shot.gradient(boundary_saving(every, HistoryKind::automatic));
  for (const HistoryKind kind : {HistoryKind::boundary, HistoryKind::boundary16}) {
    const GradientSums found = shot.gradient(boundary_saving(every, kind));
    const double most = kind == HistoryKind::boundary ? limit : limit_in_16_bits;
    CAPTURE(name_in(history_names, kind));
    CHECK(difference(found.correlation, exact.correlation) < most);
    CHECK(difference(found.source_illumination, exact.source_illumination) < most);
    CHECK(found.receiver_illumination.values == exact.receiver_illumination.values);
  }
}

bool are_same(const GradientSums& one, const GradientSums& other) {
  return one.correlation.values == other.correlation.values &&
         one.source_illumination.values == other.source_illumination.values &&
         one.receiver_illumination.values == other.receiver_illumination.values;
}

}  // namespace

TEST_CASE("Steps that are taken back give the gradient of the drives but for rounding", "[unit]") {
  for (const char* options :
       {"--source 60,80,60 --boundary cpml --pml-width 6",
        "--source 60,80,60 --boundary cpml --pml-width 4 --order 4 --free-surface",
        "--source 12,24,36 --boundary pml --pml-width 5 --free-surface --interpolation sinc4",
        "--source 60,80,60 --boundary pml --pml-width 3 --order 16",
        "--source 0,180,0 --boundary sponge --pml-width 3",
        "--source 60,80,60 --boundary sponge --pml-width 0"})
    for (const int every : {1, 4}) {
      CAPTURE(options, every);
      check_against_drives(Planned(options + double_precision), every, 1e-13, 1e-3);
      check_against_drives(Planned(options), every, 1e-5, 1e-3);
    }
  check_against_drives(
      Planned("--source 60,80,60 --boundary cpml --pml-width 4 --extrude 20" + double_precision,
              {model_nodes.x, 1, model_nodes.z}),
      1, 1e-13, 1e-3);
}

TEST_CASE("Blocks of 16 bits keep values to a 65534th of their greatest", "[unit]") {
  const auto backend = make_host_backend();
  constexpr int count = 40;
  std::vector<double> values(std::size_t{count} * values_of_block);
  for (int i = 0; i < count; ++i)  // blocks of all sizes, one of zeros
    for (int k = 0; k < values_of_block; ++k)
      values[i * values_of_block + k] = i == 3 ? 0 : std::pow(10, i - 20) * random_value(4, i, k, 0);
  values[values_of_block] = std::numeric_limits<double>::quiet_NaN();
  const DeviceArray<double> at(*backend, values), scales(*backend, count);
  const DeviceArray<std::int16_t> codes(*backend, values.size());
  const ValueBlocks<double> blocks{at.data(), scales.data(), codes.data(), count};
  backend->field_kernels().for_each_point(blocks.box(), BlockPacking<double>{blocks});
  backend->clear(at.data(), values.size() * sizeof(double));
  backend->field_kernels().for_each_point(blocks.box(), BlockUnpacking<double>{blocks});
  CHECK(at.data()[values_of_block] == 0);
  values[values_of_block] = 0;
  for (int i = 0; i < count; ++i) {
    double greatest = 0, error = 0;
    for (int k = i * values_of_block; k < (i + 1) * values_of_block; ++k) {
      greatest = std::max(greatest, std::abs(values[k]));
      error = std::max(error, std::abs(at.data()[k] - values[k]));
    }
    CAPTURE(i);
    CHECK(error <= 1.0001 * greatest / 65534);
  }
}

TEST_CASE("Records come back from a device, its host or a disk", "[unit]") {
  const auto backend = make_host_backend();
  const TemporaryDirectory folder;
  const std::vector<std::size_t> bytes{24, 8, 0, 24, 8};
  for (const RecordPlace place : {RecordPlace::device, RecordPlace::host, RecordPlace::disk}) {
    const auto records = make_record_store(*backend, bytes, place, folder.path());
    for (const int pass : {1, 2}) {
      for (int i = 0; i < 5; ++i) {
        std::memset(records->begin(i), 10 * pass + i, bytes[static_cast<std::size_t>(i)]);
        records->keep(i);
      }
      records->turn_round();
      for (int i = 4; i >= 0; --i) {
        const std::byte* const found = records->fetch(i);
        for (std::size_t k = 0; k < bytes[static_cast<std::size_t>(i)]; ++k)
          CHECK(std::to_integer<int>(found[k]) == 10 * pass + i);
        records->release(i);
      }
    }
  }
  CHECK(folder.entries() == 0);
}

TEST_CASE("What is kept of steps that are taken back lies where there is room for it", "[unit]") {
  const Planned shot("--source 60,80,60 --boundary pml --pml-width 4" + double_precision);
  const HistoryOptions ample = boundary_saving(2);
  const GradientSums sums = shot.gradient(ample);
  const BoundaryPlan plan = *shot.runner(ample).boundary();
  CHECK(plan.place == RecordPlace::device);
  const Extent3 n = model_nodes;
  const std::size_t frame = 8 * (n.x * n.y + n.y * n.z + n.z * n.x),
                    layer = (n.x + 8) * (n.y + 8) * (n.z + 8) - n.points(),
                    drive = (layer + n.points()) * sizeof(double);
  CHECK(plan.total() == steps_of_shot * (frame + layer / 2) * sizeof(double));
  const BoundaryPlan packed = *shot.runner(boundary_saving(2, HistoryKind::boundary16)).boundary();
  CHECK((packed.total() < 0.29 * plan.total() && packed.total() > 0.25 * plan.total()));

  const TemporaryDirectory folder;
  HistoryOptions little = ample;
  little.memory = drive + (records_at_once + 1) * (frame + layer) * sizeof(double);
  const auto refusal =
      outcome_of([&] { check_gradient_memory(shot.plan.shared.problem, shot.plan, shot.choice, little, 1); });
  CHECK(refusal.kind == ErrorKind::resource);
  CHECK((refusal.says("a shot's boundary takes") && refusal.message.size() <= longest_message));
  little.states_on = folder.path();
  check_gradient_memory(shot.plan.shared.problem, shot.plan, shot.choice, little, 1);
  CHECK(shot.runner(little).boundary()->place == RecordPlace::disk);
  CHECK(are_same(shot.gradient(little), sums));
  CHECK(folder.entries() == 0);
  const BoundaryPlan on_disk = plan_boundary(shot.plan.shared.problem, *shot.choice.backend, little, 0);
  little.shots_at_once = std::numeric_limits<int>::max();
  CHECK(outcome_of([&] { check_folder(little, on_disk.total()); }).kind == ErrorKind::io);
}

TEST_CASE("A layer that leaves no step to be taken back is refused", "[unit]") {
  const auto refusal_of_cpml = [](int points) {
    const Planned shot("--source 30,20,20 --boundary cpml --pml-width 4", {22, points, 18});
    return outcome_of([&] {
      check_gradient_memory(shot.plan.shared.problem, shot.plan, shot.choice, boundary_saving(), 1);
    });
  };
  CHECK(refusal_of_cpml(9).kind == ErrorKind::none);
  const auto refusal = refusal_of_cpml(8);
  CHECK(refusal.kind == ErrorKind::parameter);
  CHECK((refusal.says("22 x 8 x 18 points") && refusal.message.size() <= longest_message));
}

TEST_CASE("A gradient of steps that are taken back goes on from its checkpoint to the same bits", "[unit]") {
  const TemporaryDirectory folder;
  for (const char* boundary : {"cpml", "pml", "sponge"}) {
    CAPTURE(boundary);
    const auto look = [&] { return GradientCheckpoints(folder.path() / boundary, boundary, 1e-9); };
    const Planned shot(text("--source 60,80,60 --pml-width 4 --boundary ", boundary, double_precision));
    const GradientSums all = shot.gradient(boundary_saving(2));
    GradientCheckpoints first = look();
    CHECK_THROWS_WITH(shot.gradient(boundary_saving(2), &first, steps_of_shot + 60),
                      Catch::Matchers::ContainsSubstring("stopped"));
    GradientCheckpoints second = look();
    CHECK((second.steps_done() > 5 && second.steps_done() < steps_of_shot));
    CHECK(are_same(shot.gradient(boundary_saving(2), &second), all));
  }
}

}  // namespace minimod
