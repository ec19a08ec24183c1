/// A domain cut into slabs that exchange their edges gives the bits of the whole one.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/registry.hpp"
#include "src/measure/field_comparison.hpp"
#include "src/solver/propagator.hpp"

using namespace minimod;

namespace {

constexpr Extent3 n{40, 35, 62};
constexpr Point3 spacing{20, 16, 12.5};
constexpr double dt = 1e-3;
constexpr int cut = 29;

/// The planes from `begin` to `end` of the domain.
Propagator make_slab(Backend& backend, const BoundarySpec& domain, const KernelSet& kernels, int begin,
                     int end) {
  const BoundarySpec boundary = cut_along_z(make_boundary(domain, n, spacing, dt), begin > 0, end < n.z);
  Grid part = make_grid({n.x, n.y, end - begin}, spacing, boundary);
  part.first_z = begin;
  Propagator slab(backend, part, make_boundary(boundary, part.n, spacing, dt), kernels);
  slab.set_velocity(dt, [begin](int z, float* plane) {
    for (int i = 0; i < n.x * n.y; ++i)
      plane[i] = static_cast<float>(2000 + (i * 7 + (begin + z) * 131) % 1000);
  });
  slab.set_random_field(3);
  return slab;
}

void copy(Backend& backend, const FieldPart& from, const FieldPart& to) {
  REQUIRE(from.bytes == to.bytes);
  std::vector<char> values(from.bytes);
  backend.download(values.data(), from.data, from.bytes);
  backend.upload(to.data, values.data(), to.bytes);
}

void exchange(Backend& backend, const Propagator& upper, const Propagator& lower) {
  using Side = Fields::Side;
  copy(backend, upper.fields().edge(Side::below), lower.fields().halo(Side::above));
  copy(backend, lower.fields().edge(Side::above), upper.fields().halo(Side::below));
}

}  // namespace

TEST_CASE("Two slabs that exchange their edges give the bits of the whole domain", "[physics]") {
  const auto kind = GENERATE(BoundaryKind::pml, BoundaryKind::cpml, BoundaryKind::sponge);
  const bool free_surface = GENERATE(false, true);
  const BoundarySpec domain = make_boundary_spec(kind, 6, free_surface, 3000, 10);
  const auto host = make_host_backend();
  const CodeShape& kokkos = find_shape("kokkos");
  const KernelSet kernels{&kokkos, &kokkos};
  CAPTURE(static_cast<int>(kind), free_surface);

  Propagator whole = make_slab(*host, domain, kernels, 0, n.z);
  Propagator upper = make_slab(*host, domain, kernels, 0, cut);
  Propagator lower = make_slab(*host, domain, kernels, cut, n.z);
  const std::vector<double> samples(20, 1e3);
  whole.set_source({17, 20, 33}, samples);
  lower.set_source({17, 20, 33 - cut}, samples);
  for (std::size_t step = 0; step < samples.size(); ++step) {
    exchange(*host, upper, lower);
    for (Propagator* propagator : {&whole, &upper, &lower}) propagator->step();
  }
  CHECK(whole.extremes().max > 0);
  CHECK(same_bits(whole.wavefield({{0, 0, 0}, {n.x, n.y, cut}}),
                  upper.wavefield({{0, 0, 0}, {n.x, n.y, cut}})));
  CHECK(same_bits(whole.wavefield({{0, 0, cut}, {n.x, n.y, n.z}}),
                  lower.wavefield({{0, 0, 0}, {n.x, n.y, n.z - cut}})));
}

TEST_CASE("A slab takes no schedule that needs its neighbours between the steps of a launch", "[unit]") {
  const BoundarySpec domain = make_boundary_spec(BoundaryKind::pml, 6, false, 3000, 10);
  const BoundarySpec slab = cut_along_z(make_boundary(domain, n, spacing, dt), true, false);
  CHECK(two_steps().why_not(StepProblem{make_grid(n, spacing, domain), domain}).empty());
  CHECK_FALSE(two_steps().why_not(StepProblem{make_grid(n, spacing, slab), slab}).empty());
  CHECK(beside().why_not(StepProblem{make_grid(n, spacing, slab), slab}).empty());
}
