/// minimod/minimod.h over SteppedSimulation: arguments are checked, and errors become statuses.
#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "boundary/boundary.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/small_values.hpp"
#include "src/job/plan/layer_choice.hpp"
#include "src/library/include/minimod/minimod.h"
#include "src/library/kokkos_start.hpp"
#include "src/library/simulation.hpp"

struct minimod_simulation {
  std::unique_ptr<minimod::SteppedSimulation> steps;
  mutable std::string error = {};
};

namespace {

using namespace minimod;

thread_local std::string error_of_create;

minimod_status status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::none:
      return MINIMOD_OK;
    case ErrorKind::parameter:
      return MINIMOD_USAGE;
    case ErrorKind::data:
      return MINIMOD_DATA;
    case ErrorKind::missing_input:
      return MINIMOD_MISSING_INPUT;
    case ErrorKind::unavailable:
      return MINIMOD_UNAVAILABLE;
    case ErrorKind::internal:
      return MINIMOD_INTERNAL;
    case ErrorKind::resource:
      return MINIMOD_RESOURCE;
    case ErrorKind::cannot_create:
      return MINIMOD_CANNOT_CREATE;
    case ErrorKind::io:
      return MINIMOD_IO;
    case ErrorKind::stopped:
      return MINIMOD_STOPPED;
    case ErrorKind::permission:
      return MINIMOD_PERMISSION;
  }
  return MINIMOD_INTERNAL;
}

minimod_status failed(std::string& error, ErrorKind kind, const std::string& what) {
  error = what;
  return status_of(kind);
}

/// Does `work`. No exception leaves, and this thread's treatment of small values is its own again.
template <class Work>
minimod_status guarded(std::string& error, const Work& work) {
  error.clear();
  const SmallValuesAreZero here;
  try {
    work();
    return MINIMOD_OK;
  } catch (const Error& refusal) {
    return failed(error, refusal.kind(), refusal.what());
  } catch (const std::bad_alloc&) {
    return failed(error, ErrorKind::resource, "not enough host memory; take a smaller grid");
  } catch (const std::exception& unexpected) {
    return failed(error, ErrorKind::internal, text("unexpected: ", unexpected.what()));
  } catch (...) {
    return failed(error, ErrorKind::internal, "unexpected");
  }
}

template <class Work>
minimod_status guarded(const minimod_simulation* simulation, const Work& work) {
  if (simulation == nullptr) return MINIMOD_USAGE;
  return guarded(simulation->error, [&] { work(*simulation->steps); });
}

void require(const void* pointer, const char* what) {
  if (pointer == nullptr) throw Error(ErrorKind::parameter, text(what, " is NULL"), "give an address");
}

constexpr auto boundaries_by_number = [] {
  std::array<BoundaryKind, std::size(boundaries)> kinds{};
  for (const BoundaryFacts& row : boundaries) kinds[row.library_number] = row.choice;
  return kinds;
}();
static_assert(boundaries_by_number[MINIMOD_CPML] == BoundaryKind::cpml);
static_assert(boundaries_by_number[MINIMOD_PML] == BoundaryKind::pml);
static_assert(boundaries_by_number[MINIMOD_SPONGE] == BoundaryKind::sponge);

template <class Choice, class Value, std::size_t count>
Choice choice_of(const std::array<Choice, count>& choices, Value value, const char* what) {
  const int number = static_cast<int>(value);
  if (number < 0 || number >= static_cast<int>(count))
    throw Error(ErrorKind::parameter, text("the ", what, " is ", number), text("give 0 to ", count - 1));
  return choices[number];
}

DeviceOption device_of(const char* name) {
  DeviceOption device = parse_device(name == nullptr ? "auto" : name);
  if (device.names_several())
    throw Error(ErrorKind::parameter, text(option("device"), " is '", name, "'"), "give one GPU");
  return device;
}

SimulationProblem problem_of(const minimod_problem& given) {
  SimulationProblem problem;
  problem.n = {given.points[0], given.points[1], given.points[2]};
  problem.spacing = {given.spacing[0], given.spacing[1], given.spacing[2]};
  problem.weights =
      choice_of(std::array{StarWeights::minimax, StarWeights::taylor}, given.weights, "weights' number");
  problem.boundary = choice_of(boundaries_by_number, given.boundary, "boundary's number");
  problem.width = given.width;
  problem.free_surface = given.free_surface != 0;
  problem.frequency = given.frequency;
  problem.kernels.order = given.order;
  problem.kernels.precision =
      choice_of(std::array{Precision::float32, Precision::float64}, given.precision, "precision's number");
  problem.kernels.device = device_of(given.device);
  problem.kernels.kernel = given.kernel == nullptr ? "auto" : given.kernel;
  return problem;
}

std::vector<Point3> points_of(std::size_t count, const double* positions) {
  if (count > 0) require(positions, "the positions' address");
  std::vector<Point3> points(count);
  for (std::size_t i = 0; i < count; ++i)
    points[i] = {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
  return points;
}

/// [receiver][sample] of [sample][receiver].
template <class Real>
void turn(const Reals::Values<Real>& samples, std::size_t receivers, Real* traces) {
  const std::size_t length = samples.size() / receivers;
  for (std::size_t n = 0; n < length; ++n) {
    for (std::size_t i = 0; i < receivers; ++i) traces[i * length + n] = samples[n * receivers + i];
  }
}

}  // namespace

const char* minimod_version(void) {
  return build_info().version.c_str();
}

minimod_problem minimod_default_problem(void) {
  return {.points = {0, 0, 0},
          .spacing = {0, 0, 0},
          .precision = MINIMOD_SINGLE,
          .order = 2 * stencil_radius,
          .weights = MINIMOD_MINIMAX,
          .boundary = MINIMOD_CPML,
          .width = usual_cpml_width,
          .free_surface = 0,
          .frequency = usual_frequency,
          .device = "auto",
          .kernel = "auto"};
}

const char* minimod_last_error(const minimod_simulation* simulation) {
  return simulation == nullptr ? error_of_create.c_str() : simulation->error.c_str();
}

minimod_status minimod_create(const minimod_problem* problem, minimod_simulation** simulation) {
  return guarded(error_of_create, [&] {
    require(problem, "the problem's address");
    require(simulation, "the simulation's address");
    *simulation = nullptr;
    start_kokkos();
    *simulation = new minimod_simulation{std::make_unique<SteppedSimulation>(problem_of(*problem))};
  });
}

minimod_status minimod_get_choice(const minimod_simulation* simulation, const char** kernel,
                                  const char** device) {
  return guarded(simulation, [&](const SteppedSimulation& steps) {
    if (kernel != nullptr) *kernel = steps.choice().kernels.inner->name.c_str();
    if (device != nullptr) *device = steps.choice().device.name.c_str();
  });
}

void minimod_free(minimod_simulation* simulation) {
  delete simulation;
}

minimod_status minimod_set_medium(minimod_simulation* simulation, const float* velocity, double dt) {
  return guarded(simulation, [&](SteppedSimulation& steps) {
    require(velocity, "the velocities' address");
    steps.set_medium(velocity, dt == 0 ? std::nullopt : std::optional(dt));
  });
}

minimod_status minimod_get_time_step(const minimod_simulation* simulation, double* dt) {
  return guarded(simulation, [&](const SteppedSimulation& steps) {
    require(dt, "the time step's address");
    *dt = steps.dt();
  });
}

minimod_status minimod_set_sources(minimod_simulation* simulation, size_t count, const double* positions,
                                   size_t samples, const double* signatures) {
  return guarded(simulation, [&](SteppedSimulation& steps) {
    const std::vector<Point3> points = points_of(count, positions);
    if (count > 0 && samples > 0) require(signatures, "the signatures' address");
    std::vector<std::vector<double>> all;
    for (std::size_t i = 0; i < count; ++i)
      all.emplace_back(signatures + i * samples, signatures + (i + 1) * samples);
    steps.set_sources(points, all);
  });
}

minimod_status minimod_set_receivers(minimod_simulation* simulation, size_t count, const double* positions) {
  return guarded(simulation,
                 [&](SteppedSimulation& steps) { steps.set_receivers(points_of(count, positions)); });
}

minimod_status minimod_step(minimod_simulation* simulation, int count) {
  return guarded(simulation, [&](SteppedSimulation& steps) {
    if (count < 0) throw Error(ErrorKind::parameter, text(count, " steps are asked for"), "give 0 or more");
    for (int i = 0; i < count; ++i) steps.step();
  });
}

minimod_status minimod_get_time(const minimod_simulation* simulation, int* steps_done, double* time) {
  return guarded(simulation, [&](const SteppedSimulation& steps) {
    const int done = steps.steps_done();
    if (steps_done != nullptr) *steps_done = done;
    if (time != nullptr) *time = done * steps.dt();
  });
}

minimod_status minimod_fetch_traces(minimod_simulation* simulation, void* traces, size_t room,
                                    size_t* samples) {
  return guarded(simulation, [&](SteppedSimulation& steps) {
    const std::size_t kept = steps.samples(), values = kept * steps.receivers();
    if (traces != nullptr && room < values)
      throw Error(ErrorKind::parameter, text("there is room for ", room, " values of ", values), "give more");
    if (samples != nullptr) *samples = kept;
    if (traces == nullptr || values == 0) return;
    const Reals fetched = steps.fetch();
    with_real(fetched.precision(),
              [&]<class Real>() { turn(fetched.of<Real>(), steps.receivers(), static_cast<Real*>(traces)); });
  });
}

minimod_status minimod_get_field(minimod_simulation* simulation, minimod_field* field) {
  return guarded(simulation, [&](SteppedSimulation& steps) {
    require(field, "the field's address");
    const RealsAt u = steps.field();
    const Grid& grid = steps.grid();
    *field = {.data = (u + grid.layout.origin).data,
              .precision = u.precision == Precision::float32 ? MINIMOD_SINGLE : MINIMOD_DOUBLE,
              .points = {grid.n.x, grid.n.y, grid.n.z},
              .stride_y = grid.layout.stride_y,
              .stride_z = grid.layout.stride_z,
              .halo = grid.radius,
              .on_gpu = steps.choice().device.is_gpu() ? 1 : 0};
  });
}

minimod_status minimod_copy_field(minimod_simulation* simulation, void* values) {
  return guarded(simulation, [&](SteppedSimulation& steps) {
    require(values, "the values' address");
    const Grid& grid = steps.grid();
    with_real(grid.precision, [&]<class Real>() {
      Real* to = static_cast<Real*>(values);
      for (int z = 0; z < grid.n.z; ++z) to = std::ranges::copy(steps.plane(z), to).out;
    });
  });
}

minimod_status minimod_add_to_node(minimod_simulation* simulation, const int node[3], double value) {
  return guarded(simulation, [&](SteppedSimulation& steps) {
    require(node, "the node's address");
    steps.add({node[0], node[1], node[2]}, value);
  });
}
