/// Whole runs whose fields lie in chunks: the bits and the files of runs in rows.
#include <map>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/job/outputs/record.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/modeled_shot.hpp"
#include "src/job/shot/shot_checkpoints.hpp"
#include "src/job/shot/snapshot_recorder.hpp"
#include "src/solver/fields/checkpoint.hpp"
#include "src/solver/fields/memory.hpp"
#include "validation/physics/schedule_run.hpp"
#include "validation/physics/sided_run.hpp"

using namespace minimod;
namespace fs = std::filesystem;

namespace {

const CodeShape& two_steps() {
  static const CodeShape shape = emulated_whole_shape();
  return shape;
}
KernelSet two_at_once() {
  return {&two_steps(), &two_steps(), &whole()};
}
KernelSet one_at_once() {
  static const CodeShape shape = emulated_whole_step_shape();
  return {&shape, &shape, &whole_step()};
}

/// Arrays of a file.
using Arrays = std::vector<std::vector<float>>;
Arrays arrays_in(const fs::path& path, const std::vector<std::string>& names) {
  const hdf5::Handle file = hdf5::open_for_reading(path);
  Arrays arrays;
  for (const std::string& name : names)
    arrays.push_back(hdf5::read_floats(hdf5::open_float_dataset(file, name, path), path));
  return arrays;
}

/// Ends a run in its midst, as a kill does, behind the step after `step`. It looks behind each, so that where
/// checkpoints are does not go by how long steps take.
class Ending final : public StepObserver {
 public:
  struct Ended {};
  explicit Ending(int step) : step_(step) {}
  [[nodiscard]] int next_step(int after) const override { return after + 1; }
  void look(const Propagator& /*propagator*/, int step) override {
    if (step > step_) throw Ended();
  }

 private:
  int step_;
};

/// A shot on a host that has sides, with a seed, or has none.
class SidedShot {
 public:
  explicit SidedShot(const std::string& line, const KernelSet& kernels, std::optional<unsigned> seed = {})
      : plan_(make_survey_plan(parse_shot("--allow-dispersion --wavelet ricker:f=30 --spacing 10 "
                                          "--pml-width 5 --steps 7 --snapshot-every 3steps " +
                                          line))) {
    KernelOptions options;
    options.device.kind = DeviceOption::Kind::cpu;
    choice_ = choose_device(options, plan_.shared.problem.part());
    choice_.kernels = kernels;
    if (seed) choice_.backend = std::make_unique<SidedBackend>(*seed);
    configuration_ = with_shot(shared_configuration(plan_.shared), plan_.first);
  }

  [[nodiscard]] ModeledShot run(ShotCheckpoints* files, std::vector<StepObserver*> observers) const {
    if (files != nullptr) files->begin(configuration_, "");
    return ShotRunner(plan_.shared.problem, plan_.shared.medium, choice_)
        .run(plan_.first, {std::move(observers), {}, [](int) {}, files, 1e-9});
  }
  /// With its snapshots.
  [[nodiscard]] std::pair<ModeledShot, Arrays> run_to_the_end() const {
    const RunPlan& shared = plan_.shared;
    const SnapshotPaths paths(folder_.path() / "shot.h5");
    SnapshotRecorder recorder(
        shared.snapshots, shared.problem, plan_.first.scale, choice_,
        std::make_unique<SnapshotFile>(shared.snapshots, make_gather(shared, plan_.first, {}, choice_), paths,
                                       false));
    ModeledShot shot = run(nullptr, {&recorder});
    recorder.finish();
    return {std::move(shot), arrays_in(paths.hdf5, {"wavefield"})};
  }
  /// The states in the checkpoints up to a step, of whose files `base` is the name.
  [[nodiscard]] std::vector<Arrays> leave_checkpoints(int step, const fs::path& base) const {
    ShotCheckpoints files(base);
    Ending ending(step);
    CHECK_THROWS_AS(run(&files, {&ending}), Ending::Ended);
    std::vector<Arrays> states;
    for (const fs::path& file : checkpoint_names(base))
      states.push_back(arrays_in(file, {"u", "u_before", "phi"}));
    return states;
  }

 private:
  SurveyPlan plan_;
  DeviceChoice choice_;
  Configuration configuration_;
  TemporaryDirectory folder_;
};

/// Runs a shot in rows and in chunks.
void check_same(const std::string& line, const KernelSet& kernels) {
  CAPTURE(line, kernels.inner->name);
  const SidedShot rows(line, kernels), chunks(line, kernels, 7);
  const auto [right, snapshots] = rows.run_to_the_end();
  const auto [found, found_snapshots] = chunks.run_to_the_end();
  CHECK(same_bits(found.traces, right.traces));
  CHECK(right.result.extremes.max > 0);
  CHECK(found.result.extremes.max == right.result.extremes.max);
  CHECK(found.result.extremes.min == right.result.extremes.min);
  const bool has_same_snapshots = found_snapshots == snapshots;
  CHECK(has_same_snapshots);
  const TemporaryDirectory of_rows, of_chunks;
  const fs::path base_of_rows = of_rows.path() / "shot", base_of_chunks = of_chunks.path() / "shot";
  const bool are_same =
      rows.leave_checkpoints(4, base_of_rows) == chunks.leave_checkpoints(4, base_of_chunks);
  CHECK(are_same);
  // Each goes on from the other's.
  for (const auto& [shot, base] : {std::pair(&rows, base_of_chunks), {&chunks, base_of_rows}}) {
    ShotCheckpoints files(base);
    CHECK(files.step() == 4);
    CHECK(same_bits(shot->run(&files, {}).traces, right.traces));
  }
}

}  // namespace

TEST_CASE("Shots in chunks have the bits and the files of shots in rows", "[physics]") {
  for (const KernelSet& kernels : {two_at_once(), one_at_once()}) {
    check_same("--grid 70,30,21 --receivers line:10,30,20:500,170,60:9 --interpolation nearest", kernels);
    check_same(
        "--grid 66,35,20 --free-surface --source 303,111,37 --receivers grid:11,33,57:503,155,57:7,3,1 "
        "--interpolation sinc4 --snapshot-stride 3,2,1",
        kernels);
  }
}

TEST_CASE("Fields in chunks have the bits of rows from random values on, whatever the sides", "[physics]") {
  const auto host = make_host_backend();
  const std::vector<int> snapshots{1, 2, 7};
  for (const ScheduleCase& given :
       {ScheduleCase{{61, 45, 38}, 7, {30, 20, 19}}, ScheduleCase{{140, 19, 21}, 4, {64, 16, 8}, true},
        ScheduleCase{{24, 33, 41}, 0, {11, 16, 20}}}) {
    for (const KernelSet& kernels : {two_at_once(), one_at_once()}) {
      const ScheduleOutcome expected = run_schedule(*host, given, kernels, snapshots, 3);
      for (const unsigned seed : {1U, 2U}) {
        SidedBackend sided(seed);
        CAPTURE(given.n.x, kernels.inner->name, seed);
        CHECK(make_propagator(sided, given, kernels).fields().grid().in_chunks());
        CHECK(difference(run_schedule(sided, given, kernels, snapshots, 3), expected) == "");
      }
    }
  }
}

TEST_CASE("Fields move between rows and chunks where the kernels change", "[physics]") {
  const ScheduleCase given{{70, 41, 29}, 6, {40, 16, 15}, true};
  const CodeShape& kokkos = find_shape("kokkos");
  const auto run = [&](Backend& backend, bool lies_in_chunks) {
    Propagator propagator = make_propagator(backend, given, {&kokkos, &kokkos});
    propagator.set_source(given.source, std::vector<double>(20, 1e3));
    propagator.set_random_field(5);
    std::vector<double> found;
    for (const KernelSet& kernels : {two_at_once(), {&kokkos, &kokkos}, two_at_once()}) {
      propagator.set_kernels(kernels);
      const bool has_chunks = propagator.fields().grid().in_chunks();
      CHECK(has_chunks == (lies_in_chunks && kernels.schedule == &whole()));
      CHECK(propagator.lies_for(kernels));
      propagator.set_receivers({given.source, {0, 0, 1}, {69, 40, 28}}, 4);
      for (int n = 0; n < 3; ++n) {
        propagator.step();
        propagator.record();
      }
      const auto traces = propagator.fetch_batch().as_doubles();
      found.insert(found.end(), traces.begin(), traces.end());
      const Extremes extremes = propagator.extremes();
      found.insert(found.end(), {extremes.min, extremes.max});
    }
    propagator.step();  // the one that was ahead
    propagator.add({65, 17, 3}, 1e5);
    backend.field_kernels().start_peak(propagator.fields().observed(), {{0, 0, 0}, {70, 41, 29}});
    CHECK(backend.field_kernels().take_peak(true)->node == Index3{65, 17, 3});
    const auto field = propagator.wavefield({{0, 0, 0}, {70, 41, 29}});
    found.insert(found.end(), field.begin(), field.end());
    return found;
  };
  SidedBackend sided(3);
  HostedBackend hosted;
  CHECK(same_bits(run(sided, true), run(hosted, false)));
}

TEST_CASE("The state of fields in chunks is that of rows, and goes in either way", "[physics]") {
  const ScheduleCase given{{70, 41, 29}, 5, {40, 16, 15}, true};
  using State = std::map<std::string, std::vector<float>>;
  const auto state_of = [](const Propagator& propagator) {
    State state;
    read_state(propagator, [&](const FieldPart& part, std::size_t first, const Reals& values) {
      CHECK(first == state[part.name].size());
      state[part.name].insert(state[part.name].end(), values.of<float>().begin(), values.of<float>().end());
    });
    return state;
  };
  SidedBackend sided(9);
  HostedBackend hosted;
  std::vector<Propagator> both;
  both.push_back(make_propagator(hosted, given, two_at_once()));
  both.push_back(make_propagator(sided, given, two_at_once()));
  for (Propagator& propagator : both) {
    propagator.set_random_field(5);
    for (int n = 0; n < 3; ++n) propagator.step();
  }
  const State state = state_of(both[0]);
  REQUIRE(both[1].is_ahead());
  CHECK(state_of(both[1]) == state);
  CHECK(state_bytes(both[1]) == state_bytes(both[0]));
  Propagator& chunks = both[1];
  chunks.set_random_field(8);
  // In pieces that no plane ends with.
  for (const FieldPart& part : chunks.state(true)) {
    constexpr std::size_t piece = 100'003;
    for (std::size_t first = 0; first < part.size; first += piece) {
      const auto from = state.at(part.name).begin() + static_cast<std::ptrdiff_t>(first);
      const auto count = static_cast<std::ptrdiff_t>(std::min(piece, part.size - first));
      chunks.fields().put(part.name, first, Reals(std::vector<float>(from, from + count)));
    }
  }
  chunks.resume(3, true);
  CHECK(state_of(chunks) == state);
}

TEST_CASE("Fields in chunks take the memory that is foretold, and lie in rows for who sees rows",
          "[physics]") {
  SidedBackend sided(4);
  const std::size_t before = sided.allocated_bytes();
  Domain domain{{70, 41, 29}};
  domain.dt = 1e-3;
  domain.pml_width = 5;
  domain.pml_velocity = 3000;
  const Problem problem = domain.problem();
  {
    const Propagator propagator = make_propagator(sided, domain, two_at_once());
    CHECK(propagator.fields().grid().in_chunks());
    CHECK(sided.allocated_bytes() - before == bytes_needed(sided, problem.domain, two_at_once()));
  }
  StepProblem seen = problem.domain;
  seen.grid.rows_are_seen = true;
  CHECK_FALSE(StepPlan(sided, seen, two_at_once()).problem().grid.in_chunks());
  HostedBackend hosted;
  CHECK_FALSE(StepPlan(hosted, problem.domain, two_at_once()).problem().grid.in_chunks());
}
