/// Snapshots of a running shot: the bits of runs that end at their steps.
#include "src/job/shot/snapshot_recorder.hpp"

#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/job/outputs/record.hpp"
#include "validation/physics/schedule_run.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;

namespace {

SurveyPlan recorded_plan(const std::string& line) {
  return make_survey_plan(
      parse_shot("--allow-dispersion --wavelet ricker:f=30 --spacing 10 --grid 30,28,26 --pml-width 5 "
                 "--interpolation nearest --source 60,50,55 " +
                 line));
}

DeviceChoice on_host(const SurveyPlan& plan) {
  KernelOptions options;
  options.device = {DeviceOption::Kind::cpu, 0};
  return choose_device(options, plan.shared.problem.part());
}

/// Recorder of the plan's snapshots, into the files of those paths.
SnapshotRecorder recorder_of(const SurveyPlan& plan, const DeviceChoice& choice, const SnapshotPaths& paths) {
  const RunPlan& shared = plan.shared;
  return {shared.snapshots, shared.problem, plan.first.scale, choice,
          std::make_unique<SnapshotFile>(shared.snapshots, make_gather(shared, plan.first, {}, choice), paths,
                                         false)};
}

void run(const SurveyPlan& plan, const DeviceChoice& choice, std::vector<StepObserver*> observers) {
  static_cast<void>(ShotRunner(plan.shared.problem, plan.shared.medium, choice)
                        .run(plan.first, {std::move(observers), {}, [](int) {}}));
}

/// Keeps the wavefield behind one step.
class Keeps final : public StepObserver {
 public:
  Keeps(int step, const Box3& box) : step_(step), box_(box) {}
  [[nodiscard]] int next_step(int after) const override {
    return after < step_ ? step_ : std::numeric_limits<int>::max();
  }
  void look(const Propagator& propagator, int /*step*/) override { values = propagator.wavefield(box_); }
  std::vector<double> values;

 private:
  int step_;
  Box3 box_;
};

/// The points of `box` that a snapshot has.
std::vector<float> thinned(const std::vector<double>& values, const Box3& box, const Lattice& nodes) {
  const Extent3 extent = box.extent();
  std::vector<float> kept;
  for (int z = 0; z < nodes.n.z; ++z) {
    for (int y = 0; y < nodes.n.y; ++y) {
      for (int x = 0; x < nodes.n.x; ++x) {
        const Index3 p = nodes.at(x, y, z);
        const auto row = std::size_t(p.z - box.begin.z) * extent.y + p.y - box.begin.y;
        kept.push_back(static_cast<float>(values[row * extent.x + p.x - box.begin.x]));
      }
    }
  }
  return kept;
}

void check_snapshots(const std::string& schedule, const std::string& options) {
  CAPTURE(schedule, options);
  const CodeShape& shape = find_shape(schedule == "whole" ? "reference" : "kokkos");
  const SurveyPlan plan = recorded_plan("--steps 23 --snapshot-every 5steps " + options);
  DeviceChoice choice = on_host(plan);
  choice.kernels = {&shape, &shape, find_schedule(schedule)};
  const TemporaryDirectory directory;
  const SnapshotPaths paths(directory.path() / "shot.h5");
  {
    SnapshotRecorder recorder = recorder_of(plan, choice, paths);
    run(plan, choice, {&recorder});
    recorder.finish();
  }
  const hdf5::Handle file = hdf5::open_for_reading(paths.hdf5);
  const std::vector<float> all =
      hdf5::read_floats(hdf5::open_float_dataset(file, "wavefield", paths.hdf5), paths.hdf5);
  const std::size_t points = plan.shared.snapshots.nodes.n.points();
  REQUIRE(all.size() == 4 * points);
  const Extent3 all_points = plan.shared.grid().n;
  const Box3 whole{{}, {all_points.x, all_points.y, all_points.z}};
  for (int i = 0; i < 4; ++i) {
    const SurveyPlan shorter = recorded_plan(text("--steps ", 5 * (i + 1)));
    Keeps keeps(shorter.shared.time().steps, whole);
    run(shorter, choice, {&keeps});
    const std::vector<float> expected = thinned(keeps.values, whole, plan.shared.snapshots.nodes);
    CHECK(same_bits({all.begin() + i * points, all.begin() + (i + 1) * points}, expected));
    CHECK(std::ranges::any_of(expected, [](float u) { return u != 0; }));
  }
}

}  // namespace

TEST_CASE("Snapshots have the bits of runs that end at their steps", "[physics]") {
  check_snapshots("sequence", "");
  check_snapshots("beside", "--snapshot-stride 3,2,1");
  check_snapshots("whole", "--snapshot-box=-50:,20:100,:90 --snapshot-stride 2");  // step 5 is ahead
}

TEST_CASE("A run that ends before its last snapshot leaves none", "[physics]") {
  const SurveyPlan plan = recorded_plan("--steps 23 --snapshot-every 5steps");
  const DeviceChoice choice = on_host(plan);
  const TemporaryDirectory directory;
  const SnapshotPaths paths(directory.path() / "shot.h5");
  {
    SnapshotRecorder recorder = recorder_of(plan, choice, paths);
    run(recorded_plan("--steps 12"), choice, {&recorder});
    CHECK(outcome_of([&] { recorder.finish(); }).says("2 of 4 snapshots"));
  }
  CHECK(directory.entries() == 0);
}

TEST_CASE("Snapshots that were kept before a checkpoint are gone on from", "[physics]") {
  const SurveyPlan plan = recorded_plan("--steps 23 --snapshot-every 5steps"),
                   begin = recorded_plan("--steps 12");
  const DeviceChoice choice = on_host(plan);
  const TemporaryDirectory directory;
  const SnapshotPaths paths(directory.path() / "shot.h5");
  {
    SnapshotRecorder recorder = recorder_of(plan, choice, paths);
    CHECK(outcome_of([&] { recorder.go_on(12); }).kind == ErrorKind::data);
    run(begin, choice, {&recorder});
    recorder.keep();
  }
  CHECK(directory.entries() == 1);
  SnapshotRecorder recorder = recorder_of(plan, choice, paths);
  CHECK(outcome_of([&] { recorder.go_on(16); }).says("the 3 snapshots up to step 16 are lost"));
  recorder.go_on(12);
  CHECK(recorder.next_step(12) == 15);
}

TEST_CASE("Snapshots on the GPU have the bits of its wavefield, while it goes on", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP("no GPU");
  const SurveyPlan plan = recorded_plan("--steps 64 --snapshot-every 1steps --snapshot-stride 2,1,3");
  KernelOptions options;
  options.device = {DeviceOption::Kind::gpu, 0};
  const DeviceChoice choice = choose_device(options, plan.shared.problem.part());
  const TemporaryDirectory directory;
  const SnapshotPaths paths(directory.path() / "shot.h5");
  const Extent3 all_points = plan.shared.grid().n;
  const Box3 whole{{}, {all_points.x, all_points.y, all_points.z}};
  Keeps keeps(40, whole);
  {
    SnapshotRecorder recorder = recorder_of(plan, choice, paths);
    run(plan, choice, {&recorder, &keeps});
    recorder.finish();
  }
  const hdf5::Handle file = hdf5::open_for_reading(paths.hdf5);
  const hdf5::Handle wavefield = hdf5::open_float_dataset(file, "wavefield", paths.hdf5);
  std::vector<float> found(plan.shared.snapshots.nodes.n.points());
  hdf5::read_slab(wavefield, 39, 1, found, paths.hdf5);
  CHECK(same_bits(found, thinned(keeps.values, whole, plan.shared.snapshots.nodes)));
}
