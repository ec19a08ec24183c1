/// Steps that leave u⁻ in place and write u⁺ apart, for their drives.
#include <catch2/catch_test_macros.hpp>

#include "src/ranks/domain_part.hpp"
#include "src/solver/schedules.hpp"
#include "validation/cases/means/domain.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/shapes/device_shapes.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;

namespace {

constexpr int steps = 7;

Domain domain_of(BoundaryKind kind) {
  Domain domain{{45, 37, 39}};
  domain.dt = 2e-3;
  domain.velocity_at = [](Index3 p) { return 2000 + (p.y * 37 + p.x * 7 + p.z * 131) % 1000; };
  domain.pml_width = 7;
  domain.pml_velocity = 3000;
  domain.frequency = 10;
  domain.kind = kind;
  return domain;
}

bool keeps_earlier(int step) {
  return step % 3 > 0;
}

/// A random field a step after the other, and drives that are made of the steps that leave u⁻ in place.
struct Waves {
  std::vector<std::vector<double>> fields;
  std::vector<std::vector<float>> drives;  ///< empty of other steps
};

Waves step_on(Backend& backend, const Domain& domain, const KernelSet& kernels, bool has_drives) {
  Problem problem = domain.problem();
  problem.domain.has_drives = has_drives;
  Propagator propagator(backend, problem.domain, problem.boundary, kernels);
  set_medium(propagator, problem, domain.medium());
  propagator.set_source({20, 18, 19}, std::vector<double>(steps, 1e3));
  propagator.set_random_field(5);
  const DeviceArray<float> drive(backend, static_cast<std::size_t>(domain.n.points()));
  Waves waves;
  for (int step = 0; step < steps; ++step) {
    waves.fields.push_back(propagator.wavefield(domain.whole()));
    waves.drives.emplace_back();
    const bool keeps = has_drives && keeps_earlier(step);
    if (keeps) propagator.keep_earlier();
    propagator.step();
    if (!keeps) continue;
    propagator.make_drive({{drive.data(), Precision::float32}, packed_layout(domain.n)});
    waves.drives.back().resize(drive.size());
    backend.download(waves.drives.back().data(), drive.data(), drive.size() * sizeof(float));
  }
  waves.fields.push_back(propagator.wavefield(domain.whole()));
  return waves;
}

/// The first step whose field, or drive inside of the layer, is not that of steps that write u⁺ where u⁻ is;
/// -1: none.
int first_other(Backend& backend, BoundaryKind kind, const KernelSet& kernels) {
  const Domain domain = domain_of(kind);
  const Box3 inner = domain.boundary().inner_box(domain.n);
  const auto& fields = step_on(backend, domain, kernels, false).fields;
  const Waves apart = step_on(backend, domain, kernels, true);
  for (int step = 0; step < steps; ++step) {
    if (!same_bits(apart.fields[step + 1], fields[step + 1])) return step;
    if (!keeps_earlier(step)) continue;
    std::size_t i = 0;
    for (int z = 0; z < domain.n.z; ++z) {
      for (int y = 0; y < domain.n.y; ++y) {
        for (int x = 0; x < domain.n.x; ++x, ++i) {
          const auto u = [&](int of_step) { return static_cast<float>(fields[of_step][i]); };
          const float drive = (u(step + 1) - u(step)) - (u(step) - u(step - 1));
          if (inner.contains({x, y, z}) && apart.drives[step][i] != drive) return step;
        }
      }
    }
  }
  return -1;
}

void check_schedules(Backend& backend, const CodeShape& shape) {
  for (const BoundaryKind kind : {BoundaryKind::pml, BoundaryKind::cpml, BoundaryKind::sponge}) {
    for (const Schedule* schedule : all_schedules()) {
      const StepProblem problem = domain_of(kind).problem().domain;
      const LaunchPlanners& planners = backend.planners_of(shape);
      if (!schedule->takes(problem) || !schedule->why_not(planners).empty()) continue;
      CAPTURE(shape.name, schedule->name(), boundary_name(kind));
      CHECK(first_other(backend, kind, {&shape, &shape, schedule}) == -1);
    }
  }
}

}  // namespace

TEST_CASE("A step that leaves the one before in place has its bits, and its drive, under every schedule",
          "[physics]") {
  const auto host = make_host_backend();
  for (const char* name : {"kokkos", "reference"}) check_schedules(*host, find_shape(name));
}

TEST_CASE("A step of a problem without drives has none", "[physics]") {
  const auto host = make_host_backend();
  const CodeShape& shape = find_shape("reference");
  Propagator propagator = make_propagator(*host, domain_of(BoundaryKind::cpml), {&shape, &shape});
  CHECK(outcome_of([&] { propagator.keep_earlier(); }).kind == ErrorKind::internal);
}

TEST_CASE("A step that leaves the one before in place has its bits, and its drive, of every family",
          "[physics]") {
  const auto host = make_host_backend();
  for (const CodeShape& shape : all_shapes()) {
    if (!shape.host.pml || !(shape.is_default_tile || shape.tile.x == 0)) continue;
    CAPTURE(shape.name);
    CHECK(first_other(*host, BoundaryKind::pml, {&shape, &shape}) == -1);
  }
}

TEST_CASE("A step that leaves the one before in place has its bits, and its drive, on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  for (const CodeShape* shape : shapes_on(*gpu)) check_schedules(*gpu, *shape);
}
