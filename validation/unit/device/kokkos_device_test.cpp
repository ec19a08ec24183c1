/// The device that Kokkos reaches, against the host: in the default execution space, which without a back end
/// for GPUs is the cores.
#include <limits>
#include <numeric>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "kernels/registry.hpp"
#include "src/device/kokkos/kokkos_backend.hpp"
#include "src/solver/equation_facts.hpp"
#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/domain.hpp"
#include "validation/shapes/field_set.hpp"
#include "validation/unit/device/peak_checks.hpp"

using namespace minimod;

namespace {

using DeviceSpace = Kokkos::DefaultExecutionSpace;

/// `kokkos` as the registry of a program has it whose GPU Kokkos reaches.
CodeShape shape_of_device(int radius, Precision precision, Equation equation) {
  CodeShape shape = find_shape("kokkos", radius, precision, equation);
  shape.device = kokkos_point_planners<DeviceSpace>(radius, precision, equation);
  return shape;
}

template <class Real>
constexpr Precision precision_for = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64;

/// One step of the inner box and the six PML regions.
template <class Real>
void step_of_seven(FieldSet<Real>& f, const LaunchPlanners& planners) {
  run_once(planners.inner, f.args(f.regions.inner));
  for (int i = 0; i < 6; ++i) run_once(planners.pml, f.args(f.regions.pml[i], i));
}

/// Values at the source, at corners and within, and the field behind some steps.
struct TracesAndField {
  Reals traces;
  std::vector<double> field;
};

TracesAndField run_on(Backend& backend, const Domain& domain, Decomposition decomposition) {
  const CodeShape shape = shape_of_device(domain.radius, domain.precision, domain.equation);
  Propagator propagator = make_propagator(backend, domain, {&shape, &shape}, decomposition);
  constexpr int steps = 12;
  const auto place = [&](Point3 at) { return sinc_weights(at, domain.n, Interpolation::sinc4, false); };
  std::vector<double> samples(steps);
  std::iota(samples.begin(), samples.end(), 1e3);
  propagator.set_sources({{place({20.3, 16.2, 15.1}), samples}, {at_node({20, 16, 15}), samples}});
  const NodeWeights receivers[] = {place({9.5, 8.5, 20.25}), at_node({domain.n.x - 1, 0, domain.n.z - 1})};
  propagator.set_receivers_between({std::begin(receivers), std::end(receivers)}, steps);
  propagator.set_random_field(5);
  for (int n = 0; n < steps; ++n) {
    propagator.step();
    propagator.record();
  }
  return {propagator.fetch_batch(), propagator.wavefield(domain.whole())};
}

Domain domain_with(BoundaryKind kind, int radius = stencil_radius, Precision precision = Precision::float32,
                   Equation equation = Equation::wave) {
  Domain domain{{47, 37, 41}};
  domain.kind = kind;
  domain.radius = radius;
  domain.precision = precision;
  domain.equation = equation;
  domain.dt = 0.8 * dt_limit_of(equation, 3000, domain.spacing(), radius, random_columns(equation, domain.n));
  domain.velocity_at = [](Index3 p) { return 2000 + ((p.y * 150 + p.x) * 7 + p.z * 131) % 1000; };
  domain.pml_width = 6;
  domain.pml_velocity = 3000;
  domain.frequency = 10;
  domain.free_surface = kind != BoundaryKind::pml;
  return domain;
}

}  // namespace

TEMPLATE_TEST_CASE(
    "The kernel of Kokkos' device gives the portable kernel's bits with stencils of every order", "[shapes]",
    float, double) {
  constexpr Precision precision = precision_for<TestType>;
  const int radius = GENERATE(range(1, most_radius + 1));
  CAPTURE(radius);
  FieldSet<TestType> expected({71, 43, 37}, 9, 31, radius), f = expected;
  step_of_seven(expected, find_shape("kokkos", radius, precision).host);
  step_of_seven(f,
                kokkos_point_planners<Kokkos::DefaultHostExecutionSpace>(radius, precision, Equation::wave));
  CHECK(f.difference_of_u_next(expected) == 0);
  CHECK(same_bits(f.phi, expected.phi));
  CHECK(same_bits(f.u, expected.u));
}

TEST_CASE("A run on Kokkos' device has the bits of the host's, whatever its boundary", "[physics]") {
  const auto host = make_host_backend();
  KokkosBackend<DeviceSpace> kokkos;
  const auto check = [&](const Domain& domain, Decomposition decomposition = Decomposition::seven) {
    CAPTURE(static_cast<int>(domain.kind), domain.radius, bytes_of(domain.precision),
            static_cast<int>(domain.equation), static_cast<int>(decomposition));
    const TracesAndField expected = run_on(*host, domain, decomposition),
                         outcome = run_on(kokkos, domain, decomposition);
    CHECK(std::ranges::any_of(expected.field, [](double value) { return value != 0; }));
    CHECK(same_bits(outcome.field, expected.field));
    CHECK(same_bits(outcome.traces, expected.traces));
  };
  for (const BoundaryKind kind : {BoundaryKind::pml, BoundaryKind::cpml, BoundaryKind::sponge}) {
    check(domain_with(kind));
    check(domain_with(kind, 2, Precision::float64));
    check(domain_with(kind, stencil_radius, Precision::float32, Equation::density));
  }
  check(domain_with(BoundaryKind::pml), Decomposition::one);
  check(domain_with(BoundaryKind::sponge, stencil_radius, Precision::float32, Equation::vti));
  CHECK(kokkos.allocated_bytes() == 0);
}

TEST_CASE("The peak of a field on Kokkos' device is the host's", "[unit]") {
  KokkosBackend<DeviceSpace> kokkos;
  peaks::check_peaks(kokkos);
  CHECK_FALSE(kokkos.field_kernels().take_peak(true));
}

TEST_CASE("Kokkos' device finds extremes and what is not finite, and reads a lattice", "[unit]") {
  const auto host = make_host_backend();
  KokkosBackend<DeviceSpace> kokkos;
  const Grid grid = make_grid({61, 23, 19}, {20, 20, 20}, 5);
  const Box3 box{{3, 2, 1}, {60, 22, 18}};
  const Lattice points{{4, 1, 2}, {3, 2, 4}, {19, 11, 4}};
  const auto on = [&](Backend& backend, bool is_finite) {
    const DeviceReals field(backend, grid.layout.size, Precision::float32);
    const PlacedField placed{field.at(), grid.layout};
    backend.field_kernels().randomize(placed, grid, 7);
    if (!is_finite) {
      const float none = std::numeric_limits<float>::quiet_NaN();
      backend.upload(placed.at({59, 21, 17}).data, &none, sizeof none);
    }
    const auto reader = backend.field_kernels().make_reader(Precision::float32, points);
    reader->start(placed);
    const auto bytes = reader->wait();
    return std::pair(backend.field_kernels().extremes(placed, box),
                     std::vector<std::byte>(bytes.begin(), bytes.end()));
  };
  for (const bool is_finite : {true, false}) {
    const auto [expected, expected_values] = on(*host, is_finite);
    const auto [found, values] = on(kokkos, is_finite);
    CHECK(found.min == expected.min);
    CHECK(found.max == expected.max);
    CHECK(found.finite == is_finite);
    CHECK(values == expected_values);
  }
}

TEST_CASE("Kokkos' device refuses what its memory does not hold, and copies what goes between processes",
          "[unit]") {
  KokkosBackend<DeviceSpace> kokkos;
  try {
    kokkos.release(kokkos.allocate(std::size_t{1} << 60), std::size_t{1} << 60);
    FAIL("it holds an exbibyte");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::resource);
  }
  const DeviceArray<int> sent(kokkos, {1, 2, 3, 4}), got(kokkos, 4);
  const auto staging = kokkos.make_staging_buffer(4 * sizeof(int));
  staging->take_from(sent.data() + 1, sizeof(int), 2 * sizeof(int));
  staging->wait();
  staging->give_to(got.data(), sizeof(int), 2 * sizeof(int));
  std::vector<int> values(4);
  kokkos.download(values.data(), got.data(), 4 * sizeof(int));
  CHECK(values == std::vector{2, 3, 0, 0});
}

TEST_CASE("Kokkos' device streams, and its marks of time tell how long", "[unit]") {
  KokkosBackend<DeviceSpace> kokkos;
  const auto before = kokkos.make_time_mark(), behind = kokkos.make_time_mark();
  before->set();
  const StreamRates rates = kokkos.measure_stream_rates(Thoroughness::of_a_run);
  behind->set();
  CHECK(rates.copy > 0);
  CHECK(rates.three_reads_one_write > 0);
  CHECK(behind->seconds_since(*before) > 0);
  const DeviceInfo info = kokkos.info();
  CHECK(info.is_gpu());
  CHECK(info.name.ends_with(std::string(" by Kokkos ") + DeviceSpace::name()));
}
