/// Slabs of a domain by the cost of its layer.
#include "src/choice/layer_cost.hpp"

#include <catch2/catch_test_macros.hpp>

#include "kernels/registry.hpp"
#include "src/ranks/slab.hpp"

using namespace minimod;

namespace {

StepProblem domain_of(int width, BoundaryKind kind = BoundaryKind::pml,
                      Decomposition decomposition = Decomposition::seven) {
  const BoundarySpec boundary = make_boundary_spec(kind, width, false, 2000, 10);
  return {make_grid({60, 50, 90}, {10, 10, 10}, boundary), boundary, decomposition};
}

KernelSet kernels_named(const std::string& name) {
  return {&find_shape(name), &find_shape(name), &sequence()};
}

}  // namespace

TEST_CASE("The cost of a layer is measured where there is one that launches tell", "[unit]") {
  const auto host = make_host_backend();
  const KernelSet kernels = kernels_named("kokkos");
  for (const BoundaryKind kind : {BoundaryKind::pml, BoundaryKind::cpml, BoundaryKind::sponge}) {
    const auto cost = measured_layer_cost(*host, domain_of(10, kind), kernels);
    REQUIRE(cost.has_value());
    CHECK((*cost >= 1 && *cost <= 6));
  }
  CHECK_FALSE(measured_layer_cost(*host, domain_of(0), kernels).has_value());
  const StepProblem one = domain_of(10, BoundaryKind::pml, Decomposition::one);
  CHECK_FALSE(measured_layer_cost(*host, one, kernels_named("reference")).has_value());
}

TEST_CASE("A layer that costs more leaves fewer planes to the slabs that have it", "[unit]") {
  const StepProblem domain = domain_of(10);
  const auto outer = [&](double cost) { return cut_by_cost(domain, 3, cost).front().planes(); };
  CHECK(outer(1) == 30);
  CHECK(outer(2) < outer(1));
  CHECK(outer(6) < outer(2));
}
