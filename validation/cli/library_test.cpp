/// The C interface against the program, and what it refuses.
#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/device/backend.hpp"
#include "src/io/gather/gather.hpp"
#include "src/library/include/minimod/minimod.h"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

constexpr int nx = 60, ny = 50, nz = 45, width = 10;
constexpr double spacing = 10;
constexpr const char* shot =
    "--grid 60,50,45 --spacing 10 --pml-width 10 --steps 150 --model constant:2000 "
    "--wavelet ricker:f=15 --time-dispersion as-is --json run.json ";

struct Simulation {
  explicit Simulation(const minimod_problem& problem) : status(minimod_create(&problem, &at)) {}
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  ~Simulation() { minimod_free(at); }
  void ok(minimod_status given) const {
    INFO(minimod_last_error(at));
    REQUIRE(given == MINIMOD_OK);
  }
  minimod_simulation* at = nullptr;
  minimod_status status;
};

minimod_problem problem_of_run() {
  minimod_problem problem = minimod_default_problem();
  const int points[] = {nx, ny, nz};
  for (int axis = 0; axis < 3; ++axis) {
    problem.points[axis] = points[axis];
    problem.spacing[axis] = spacing;
  }
  problem.device = "cpu";
  return problem;
}

const std::vector<float> medium(std::size_t{nx} * ny * nz, 2000);

/// Grid coordinates of a gather's points, whose positions begin at the inner box.
std::vector<double> in_grid(const std::vector<Point3>& points, double above = width * spacing) {
  std::vector<double> positions;
  for (const Point3& p : points) {
    const double beside = width * spacing;
    positions.insert(positions.end(), {p.x + beside, p.y + beside, p.z + above});
  }
  return positions;
}

template <class Real>
std::vector<Real> fetch(const Simulation& simulation, std::size_t receivers) {
  std::size_t samples = 0;
  simulation.ok(minimod_fetch_traces(simulation.at, nullptr, 0, &samples));
  std::vector<Real> traces(samples * receivers);
  CHECK(minimod_fetch_traces(simulation.at, traces.data(), traces.size() - 1, &samples) == MINIMOD_USAGE);
  simulation.ok(minimod_fetch_traces(simulation.at, traces.data(), traces.size(), &samples));
  CHECK(traces.size() == samples * receivers);
  return traces;
}

/// The program's run with more options, and the library's, which `adapt` makes like it.
template <class Real = float>
void compare(const std::string& options, const std::function<void(minimod_problem&)>& adapt,
             double above = width * spacing) {
  const TemporaryDirectory folder;
  minimod_problem problem = problem_of_run();
  adapt(problem);
  const auto result = run_program(
      words(shot + options + " --device " + problem.device + " --kernel " + problem.kernel), folder.path());
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const ShotGather gather = read_gather(folder.path() / "shot_gather.h5");

  const auto record = read_json(folder.path() / "run.json");
  problem.frequency = record["source"]["peak_frequency_hz"];
  const Simulation simulation(problem);
  simulation.ok(simulation.status);
  simulation.ok(minimod_set_medium(simulation.at, medium.data(), 0));
  double dt = 0;
  simulation.ok(minimod_get_time_step(simulation.at, &dt));
  CHECK(dt == record["time"]["dt_s"].get<double>());
  simulation.ok(minimod_set_sources(simulation.at, 1, in_grid(gather.sources, above).data(),
                                    gather.wavelets[0].size(), gather.wavelets[0].data()));
  const std::vector<double> receivers = in_grid(gather.receivers, above);
  simulation.ok(minimod_set_receivers(simulation.at, gather.receivers.size(), receivers.data()));
  simulation.ok(minimod_step(simulation.at, 150));
  const auto traces = fetch<Real>(simulation, gather.receivers.size());
  REQUIRE(gather.traces.size() == traces.size());
  CHECK(gather.traces == Reals(traces));
}

}  // namespace

TEST_CASE("The C interface gives the traces of the program's run to the bit", "[cli]") {
  const std::string line = "--receivers line:0,100,40:390,100,40:40 ";
  SECTION("at nodes") {
    compare("--source 200,150,120 " + line, [](minimod_problem&) {});
  }
  SECTION("between nodes") {
    compare("--source 203,154,126 --receivers line:4,103,44:384,103,44:39", [](minimod_problem&) {});
  }
  SECTION("with the papers' layer and difference") {
    compare("--source 200,150,120 --boundary pml --stencil-weights taylor " + line,
            [](minimod_problem& problem) {
              problem.boundary = MINIMOD_PML;
              problem.weights = MINIMOD_TAYLOR;
            });
  }
  SECTION("in double precision under a free surface") {
    compare<double>(
        "--source 200,150,120 --precision double --free-surface " + line,
        [](minimod_problem& problem) {
          problem.precision = MINIMOD_DOUBLE;
          problem.free_surface = 1;
        },
        0);
  }
}

TEST_CASE("The C interface gives the traces of a GPU's run to the bit", "[cli]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  for (const char* options : {"--source 200,150,120 --receivers line:0,100,40:390,100,40:40",
                              "--source 203,154,126 --receivers line:4,103,44:384,103,44:39"}) {
    compare(options, [](minimod_problem& problem) {
      problem.device = "cuda";
      problem.kernel = "st_reg_fixed_32x32";
    });
  }
}

TEST_CASE("An own source at a node gives the traces of one that is set", "[cli]") {
  constexpr int steps = 40, node[] = {30, 25, 20};
  const double source[] = {300, 250, 200}, receivers[] = {300, 250, 250, 350, 250, 200};
  std::vector<double> signature(steps);
  for (int n = 0; n < steps; ++n) signature[n] = std::sin(0.2 * n);
  std::vector<std::vector<float>> traces;
  for (const bool own : {false, true}) {
    const Simulation simulation(problem_of_run());
    simulation.ok(minimod_set_medium(simulation.at, medium.data(), 1e-3));
    if (!own) simulation.ok(minimod_set_sources(simulation.at, 1, source, steps, signature.data()));
    simulation.ok(minimod_set_receivers(simulation.at, 2, receivers));
    for (int n = 0; n < steps; ++n) {
      simulation.ok(minimod_step(simulation.at, 1));
      const double value = float(2000.0 * 1e-3 * 2000.0 * 1e-3) * signature[n] / 1000;
      if (own) simulation.ok(minimod_add_to_node(simulation.at, node, value));
    }
    traces.push_back(fetch<float>(simulation, 2));
  }
  double greatest = 0, difference = 0;
  for (std::size_t i = 0; i < traces[0].size(); ++i) {
    greatest = std::max(greatest, std::abs(double{traces[0][i]}));
    difference = std::max(difference, std::abs(double{traces[0][i]} - traces[1][i]));
  }
  CHECK(greatest > 0);
  CHECK(difference < 1e-6 * greatest);
}

TEST_CASE("The field is where the C interface says, and in its copy", "[cli]") {
  const Simulation simulation(problem_of_run());
  simulation.ok(minimod_set_medium(simulation.at, medium.data(), 0));
  const int node[] = {31, 22, 13};
  simulation.ok(minimod_add_to_node(simulation.at, node, 1));
  simulation.ok(minimod_step(simulation.at, 7));
  minimod_field field;
  simulation.ok(minimod_get_field(simulation.at, &field));
  CHECK((field.precision == MINIMOD_SINGLE && field.on_gpu == 0 && field.halo == 4));
  std::vector<float> copy(medium.size());
  simulation.ok(minimod_copy_field(simulation.at, copy.data()));
  bool same = true, moves = false;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        const float there =
            static_cast<const float*>(field.data)[z * field.stride_z + y * field.stride_y + x];
        same &= there == copy[(std::size_t(z) * ny + y) * nx + x];
        moves |= there != 0;
      }
    }
  }
  CHECK((same && moves));
  int steps = 0;
  double time = 0, dt = 0;
  simulation.ok(minimod_get_time(simulation.at, &steps, &time));
  simulation.ok(minimod_get_time_step(simulation.at, &dt));
  CHECK((steps == 7 && time == 7 * dt));
}

TEST_CASE("The C interface tells the kernel that was taken", "[cli]") {
  for (const char* asked : {"auto", "reference", "st_reg_fixed_32x32"}) {
    minimod_problem problem = problem_of_run();
    problem.kernel = asked;
    const Simulation simulation(problem);
    const char *kernel = nullptr, *device = nullptr;
    simulation.ok(minimod_get_choice(simulation.at, &kernel, &device));
    CHECK(kernel == std::string(asked == std::string("reference") ? asked : "kokkos"));
    CHECK(std::strlen(device) > 0);
  }
}

TEST_CASE("The C interface refuses what is wrong with a status and a sentence", "[cli]") {
  const auto creates = [](const std::function<void(minimod_problem&)>& spoil) {
    minimod_problem problem = problem_of_run();
    spoil(problem);
    const Simulation simulation(problem);
    CHECK((simulation.at == nullptr) == (std::strlen(minimod_last_error(nullptr)) > 0));
    return simulation.status;
  };
  CHECK(creates([](minimod_problem&) {}) == MINIMOD_OK);
  CHECK(creates([](minimod_problem& p) { p.points[1] = 0; }) == MINIMOD_USAGE);
  CHECK(creates([](minimod_problem& p) { p.spacing[2] = 0; }) == MINIMOD_USAGE);
  CHECK(creates([](minimod_problem& p) { p.order = 7; }) == MINIMOD_USAGE);
  CHECK(creates([](minimod_problem& p) { p.boundary = static_cast<minimod_boundary>(9); }) == MINIMOD_USAGE);
  CHECK(creates([](minimod_problem& p) { p.device = "gpu"; }) == MINIMOD_USAGE);
  CHECK(creates([](minimod_problem& p) { p.device = "cuda:9999"; }) == MINIMOD_UNAVAILABLE);
  CHECK(creates([](minimod_problem& p) { p.kernel = "nonsense"; }) == MINIMOD_USAGE);
  CHECK(creates([](minimod_problem& p) { p.width = 40; }) == MINIMOD_DATA);
  CHECK(minimod_create(nullptr, nullptr) == MINIMOD_USAGE);

  const Simulation simulation(problem_of_run());
  CHECK(minimod_step(simulation.at, 1) == MINIMOD_USAGE);
  CHECK(minimod_last_error(simulation.at) == std::string("the simulation has no medium; set one first"));
  CHECK(minimod_set_medium(simulation.at, medium.data(), 1) == MINIMOD_DATA);
  CHECK(minimod_step(nullptr, 1) == MINIMOD_USAGE);
  std::vector<float> spoiled = medium;
  spoiled.back() = std::numeric_limits<float>::quiet_NaN();
  CHECK(minimod_set_medium(simulation.at, spoiled.data(), 0) == MINIMOD_DATA);
  simulation.ok(minimod_set_medium(simulation.at, medium.data(), 0));
  const double outside[] = {0, 0, 5000}, silent = 0;
  CHECK(minimod_set_receivers(simulation.at, 1, outside) == MINIMOD_DATA);
  CHECK(minimod_set_sources(simulation.at, 1, outside, 1, &silent) == MINIMOD_DATA);
  CHECK(minimod_set_sources(simulation.at, 1, nullptr, 1, &silent) == MINIMOD_USAGE);
  const int node[] = {nx, 0, 0};
  CHECK(minimod_add_to_node(simulation.at, node, 1) == MINIMOD_USAGE);
  simulation.ok(minimod_set_sources(simulation.at, 0, nullptr, 0, nullptr));
  simulation.ok(minimod_set_receivers(simulation.at, 0, nullptr));
  simulation.ok(minimod_step(simulation.at, 2));
}
