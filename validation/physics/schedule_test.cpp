/// All schedules give the same bits: here on the host, where a stand-in makes the two steps of a launch.
#include <tuple>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/cores/reference.hpp"
#include "src/base/error.hpp"
#include "src/measure/measurement.hpp"
#include "src/solver/numerics/interpolation.hpp"
#include "validation/physics/schedule_run.hpp"

using namespace minimod;

namespace {

void give_up(const LaunchArgs& args) {
  *args.status = 1;
}

/// Serves source and receivers beside what another launch does.
class ServingLaunch final : public PlannedLaunch {
 public:
  explicit ServingLaunch(std::unique_ptr<PlannedLaunch> other) : other_(std::move(other)) {}
  [[nodiscard]] bool serves_shot() const override { return true; }
  void run(const LaunchArgs& given, Stream stream) override {
    other_->run(given, stream);
    const DomainArgs args(given);
    for (int i = 0; i < args.shot.receiver_count; ++i) args.shot.recorded[i] = args.u[args.shot.receivers[i]];
    add_source(args);
  }

 private:
  std::unique_ptr<PlannedLaunch> other_;
};

const std::vector<int> snapshots{1, 2, 3, 20, 21};

}  // namespace

TEST_CASE("Every schedule gives the bits of launches in sequence on the host", "[physics]") {
  const auto given =
      GENERATE(ScheduleCase{{61, 45, 38}, 7, {30, 20, 19}}, ScheduleCase{{61, 45, 38}, 7, {3, 41, 20}},
               ScheduleCase{{24, 33, 41}, 0, {11, 16, 20}});
  const auto backend = make_host_backend();
  const CodeShape& kokkos = find_shape("kokkos");
  const CodeShape& two = find_shape("reference");
  CAPTURE(given.n.x, given.source.x);
  const auto expected = run_schedule(*backend, given, {&kokkos, &kokkos}, snapshots);
  for (const Schedule* schedule : {&beside(), &whole_step()}) {
    const KernelSet kernels{&kokkos, &kokkos, schedule};
    CHECK(difference(run_schedule(*backend, given, kernels, snapshots), expected).empty());
  }
  CHECK(difference(run_schedule(*backend, given, {&two, &two, &whole()}, snapshots), expected).empty());
}

TEST_CASE(
    "A launch of the whole domain gives the bits of launches in sequence at other orders, in double, and of "
    "other equations",
    "[physics]") {
  const auto [radius, precision, equation] = GENERATE(
      std::tuple{1, Precision::float32, Equation::wave}, std::tuple{8, Precision::float32, Equation::wave},
      std::tuple{4, Precision::float64, Equation::wave}, std::tuple{4, Precision::float32, Equation::vti},
      std::tuple{2, Precision::float64, Equation::vti}, std::tuple{4, Precision::float32, Equation::density});
  const auto backend = make_host_backend();
  const CodeShape& kokkos = find_shape("kokkos", radius, precision, equation);
  const ScheduleCase given{{61, 45, 38}, 7, {3, 41, 20}};
  CAPTURE(radius, bytes_of(precision), static_cast<int>(equation));
  CHECK(difference(run_schedule(*backend, given, {&kokkos, &kokkos, &whole_step()}, snapshots),
                   run_schedule(*backend, given, {&kokkos, &kokkos}, snapshots))
            .empty());
}

TEST_CASE("A launch of the whole domain takes sources between nodes and a free surface", "[physics]") {
  const auto backend = make_host_backend();
  const int radius = GENERATE(4, 2, 1);
  const CodeShape &kokkos = find_shape("kokkos", radius), &two = find_shape("reference", radius);
  const bool free_surface = GENERATE(false, true);
  const ScheduleCase given{{40, 35, 31}, 6, {20, 16, 3}, free_surface};
  const KernelSet in_whole =
      GENERATE_REF(KernelSet{&kokkos, &kokkos, &whole_step()}, KernelSet{&two, &two, &whole()});
  const KernelSet in_sequence{&kokkos, &kokkos};
  CHECK(difference(run_schedule(*backend, given, in_whole, snapshots),
                   run_schedule(*backend, given, in_sequence, snapshots)) == "");
  const auto field_after = [&](int steps, const KernelSet& kernels, Point3 p) {
    Propagator propagator = make_propagator(*backend, given, kernels);
    propagator.set_source_between(sinc_weights(p, given.n, Interpolation::sinc4, free_surface),
                                  std::vector<double>(steps, 1e3));
    for (int n = 0; n < steps; ++n) propagator.step();
    return propagator.wavefield({{0, 0, 0}, {given.n.x, given.n.y, given.n.z}});
  };
  for (const Point3 p : {Point3{20.3, 16.2, 15.1}, {2.4, 33.6, 1.5}}) {  // inside, and cut off at an edge
    for (const int steps : {5, 12}) {
      CHECK(same_bits(field_after(steps, in_whole, p), field_after(steps, in_sequence, p)));
    }
  }
  StepProblem problem;
  problem.boundary.free_surface = free_surface;
  problem.between_nodes = !free_surface;
  CHECK(in_whole.schedule->why_not(problem) == "");
}

TEST_CASE("What a launch of two steps left in its buffers does not matter", "[physics]") {
  const auto backend = make_host_backend();
  const CodeShape& kokkos = find_shape("kokkos");
  const CodeShape& two = find_shape("reference");
  const auto given =
      GENERATE(ScheduleCase{{40, 35, 31}, 6, {20, 16, 15}}, ScheduleCase{{24, 33, 41}, 0, {11, 16, 20}});
  for (const std::uint32_t poison : {1U, 2U}) {
    const auto expected = run_schedule(*backend, given, {&kokkos, &kokkos}, snapshots, poison);
    const auto outcome = run_schedule(*backend, given, {&two, &two, &whole()}, snapshots, poison);
    CAPTURE(given.n.x, poison);
    CHECK(difference(outcome, expected) == "");
  }
}

TEST_CASE("A launch of one step of the whole domain leaves several sources to be served behind it",
          "[physics]") {
  StepProblem problem;
  problem.several_sources = true;
  CHECK(whole_step().takes(problem));
  CHECK_FALSE(whole().takes(problem));
  problem.boundary.kind = BoundaryKind::cpml;
  CHECK(whole_step().why_not(problem) == "needs the decomposition seven and the boundary pml");
}

TEST_CASE("A launch that serves source and receivers gives the bits of one that others follow", "[physics]") {
  const auto backend = make_host_backend();
  const CodeShape& kokkos = find_shape("kokkos");
  CodeShape serving = kokkos;
  serving.host.whole_step = [plan = kokkos.host.whole_step](const LaunchArgs& args) {
    return std::make_unique<ServingLaunch>(plan(args));
  };
  const ScheduleCase given{{40, 35, 31}, 6, {20, 16, 3}, GENERATE(false, true)};
  const KernelSet served{&serving, &serving, &whole_step()}, behind{&kokkos, &kokkos, &whole_step()};
  CHECK(difference(run_schedule(*backend, given, served, snapshots),
                   run_schedule(*backend, given, behind, snapshots)) == "");
  const auto outcome = [&](const KernelSet& kernels, int sources, bool changes) {
    Propagator propagator = make_propagator(*backend, given, kernels);
    std::vector<FedSource> fed(sources, {at_node(given.source), std::vector<double>(20, 1e3)});
    propagator.set_sources(fed);
    propagator.set_receivers({given.source, {1, 2, 3}}, 40);
    propagator.set_random_field(5);
    ScheduleOutcome found;
    for (int n = 0; n < 20; ++n) {
      propagator.record();
      if (n % 3 == 0) propagator.record();  // twice the same time
      if (changes) propagator.set_kernels(n % 4 < 2 ? behind : served);
      propagator.step();
    }
    propagator.record();
    found.fields.push_back(propagator.wavefield({{0, 0, 0}, {given.n.x, given.n.y, given.n.z}}));
    found.traces = propagator.fetch_batch();
    return found;
  };
  for (const int sources : {1, 2}) {
    const ScheduleOutcome expected = outcome(behind, sources, false);
    CHECK(expected.traces.as_doubles().size() == std::size_t{2 * 28});
    for (const bool changes : {false, true})
      CHECK(difference(outcome(served, sources, changes), expected) == "");
  }
}

TEST_CASE("A run goes on where another schedule has left off", "[physics]") {
  const auto backend = make_host_backend();
  const CodeShape& kokkos = find_shape("kokkos");
  const CodeShape& two = find_shape("reference");
  const ScheduleCase given{{40, 35, 31}, 6, {20, 16, 15}};
  const auto field_after = [&](int steps, bool changes) {
    Propagator propagator = make_propagator(*backend, given, {&kokkos, &kokkos});
    propagator.set_source(given.source, std::vector<double>(steps, 1e3));
    propagator.set_random_field(5);
    for (int turn = 0; propagator.steps_done() < steps; ++turn) {
      propagator.step();
      if (!changes || propagator.steps_done() + 1 >= steps) continue;
      if (turn % 6 == 1) propagator.set_kernels({&two, &two, &whole()});  // fields lie otherwise in it
      if (turn % 6 == 4)                                                  // a second step waits
        propagator.set_kernels({&kokkos, &kokkos, &beside()});
      if (turn % 12 == 8) propagator.set_kernels({&kokkos, &kokkos, &whole_step()});
    }
    CHECK(propagator.steps_done() == steps);
    return propagator.wavefield({{0, 0, 0}, {given.n.x, given.n.y, given.n.z}});
  };
  CHECK(same_bits(field_after(24, true), field_after(24, false)));
}

TEST_CASE("A launch that gives up ends in an error with its shape's name, and others go on", "[physics]") {
  const auto backend = make_host_backend();
  const CodeShape& kokkos = find_shape("kokkos");
  CodeShape waits = find_shape("reference");
  waits.name = "waits_in_vain";
  waits.host.inner = [](const LaunchArgs&) { return host_launch(give_up); };
  const ScheduleCase given{{24, 33, 41}, 5, {11, 16, 20}};
  Propagator propagator = make_propagator(*backend, given, {&waits, &kokkos});
  propagator.set_random_field(3);
  propagator.step();
  const std::string why = why_not_measured(propagator);
  CHECK(why.find("waits_in_vain") != std::string::npos);
  propagator.step();
  CHECK_THROWS_AS(propagator.wavefield({{0, 0, 0}, {1, 1, 1}}), Error);
  propagator.set_kernels({&kokkos, &kokkos});
  propagator.set_random_field(3);
  propagator.step();
  CHECK(why_not_measured(propagator).empty());
  CHECK(propagator.extremes().finite);
}
