/// Slabs whose fields lie in chunks, each by the sides of a GPU of its own, give the bits of the whole
/// domain.
#include <memory>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "src/solver/schedules.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/physics/sided_run.hpp"
#include "validation/physics/slabs.hpp"

namespace minimod {
namespace {

constexpr Extent3 sided_domain{140, 35, 50};

KernelSet kernels_of(const Schedule& schedule) {
  static const CodeShape two = emulated_whole_shape(), one = emulated_whole_step_shape();
  const CodeShape& shape = schedule.steps_of_exchange() == 2 ? two : one;
  return {&shape, &shape, &schedule};
}

/// A slab, and the device that it is on.
struct SidedSlab {
  Slab slab;
  std::unique_ptr<SidedBackend> backend;
  std::unique_ptr<SilentNeighbours> neighbours = std::make_unique<SilentNeighbours>();
  Propagator propagator;

  SidedSlab(const BoundarySpec& domain, const KernelSet& kernels, const Slab& planes, unsigned seed)
      : slab(planes),
        backend(std::make_unique<SidedBackend>(seed)),
        propagator(make_slab(*backend, sided_domain, domain, kernels, slab, neighbours.get())) {}
};

void exchange(const std::vector<SidedSlab>& slabs) {
  for (std::size_t i = 1; i < slabs.size(); ++i) exchange(slabs[i - 1].propagator, slabs[i].propagator);
}

}  // namespace

TEST_CASE("Slabs in chunks by the sides of several GPUs give the bits of the domain in rows", "[physics]") {
  const Schedule& schedule = GENERATE(0, 1) == 0 ? whole() : whole_step();
  const bool free_surface = GENERATE(false, true);
  // The planes that the second of three shares with its neighbours are all that it has.
  const std::vector<Slab> planes =
      GENERATE(std::vector<Slab>{{0, 23}, {23, 50}}, std::vector<Slab>{{0, 20}, {20, 29}, {29, 50}});
  const BoundarySpec domain = make_boundary_spec(BoundaryKind::pml, 6, free_surface, 3000, 10);
  const KernelSet kernels = kernels_of(schedule);
  CAPTURE(schedule.name(), free_surface, planes.size());

  HostedBackend host;
  Propagator rows = make_slab(host, sided_domain, domain, kernels, {0, sided_domain.z});
  std::vector<SidedSlab> slabs;
  for (const Slab& slab : planes) slabs.emplace_back(domain, kernels, slab, 11 + slabs.size());
  const Index3 source{70, 17, 22};
  const std::vector<double> samples(8, 1e3);
  rows.set_source(source, samples);
  for (const SidedSlab& one : slabs) {
    SilentNeighbours alone;
    const Propagator in_rows = make_slab(host, sided_domain, domain, kernels, one.slab, &alone);
    for (const FieldPart& part : in_rows.state(false)) {
      Reals expected(Precision::float32, part.size), found(Precision::float32, part.size);
      in_rows.fields().take(part.name, 0, expected);
      one.propagator.fields().take(part.name, 0, found);
      CAPTURE(part.name, one.slab.begin);
      CHECK(same_bits(found, expected));
    }
  }
  for (const bool owns : {true, false}) {
    for (SidedSlab& one : slabs) {
      CHECK(one.propagator.fields().grid().in_chunks());
      if (owns == (source.z >= one.slab.begin && source.z < one.slab.end))
        one.propagator.set_source({source.x, source.y, source.z - one.slab.begin}, samples);
    }
  }
  for (std::size_t step = 0; step < samples.size(); ++step) {
    if (step % static_cast<std::size_t>(schedule.steps_of_exchange()) == 0) exchange(slabs);
    rows.step();
    for (SidedSlab& one : slabs) {
      CAPTURE(step, one.slab.begin);
      one.propagator.step();
      CHECK(same_bits(
          rows.wavefield({{0, 0, one.slab.begin}, {sided_domain.x, sided_domain.y, one.slab.end}}),
          one.propagator.wavefield({{0, 0, 0}, {sided_domain.x, sided_domain.y, one.slab.planes()}})));
    }
  }
  CHECK(rows.extremes().max > 0);
}

}  // namespace minimod
