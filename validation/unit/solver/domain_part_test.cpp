/// Ranks of one domain agree, before the first step, on a transport that brings what is sent.
#include "src/ranks/domain_part.hpp"

#include <catch2/catch_test_macros.hpp>

#include "kernels/registry.hpp"
#include "src/solver/schedules.hpp"
#include "validation/physics/sided_run.hpp"
#include "validation/unit/base/expect_error.hpp"
#include "validation/unit/base/first_of_two.hpp"

using namespace minimod;

TEST_CASE("A transport that does not bring what a neighbour sends is refused", "[unit]") {
  const auto host = make_host_backend();
  const BoundarySpec spec = make_boundary_spec(BoundaryKind::pml, 4, false, 2000, 10);
  const StepProblem domain{make_grid({20, 20, 30}, {10, 10, 10}, spec), spec, Decomposition::seven};
  const KernelSet kernels{&find_shape("reference"), &find_shape("reference"), &sequence()};
  FirstOfTwo ranks;
  for (const Transport transport : {Transport::mpi, Transport::staged}) {
    const Problem problem = make_problem(domain, {1e-3}, {&ranks, cut_by_cost(domain, 2), transport, {}});
    const Outcome outcome = outcome_of([&] { static_cast<void>(make_part(*host, problem, kernels)); });
    CHECK(outcome.kind == ErrorKind::unavailable);
    CHECK(outcome.says("garbles what rank 1 sends to rank 0"));
  }
}

TEST_CASE("Slabs lie in chunks where the device of each knows the sides of its L2", "[unit]") {
  /// The other one has a device that knows none.
  class OtherKnowsNone final : public FirstOfTwo {
    void gather_bytes(const void* mine, void* all, std::size_t bytes) override {
      FirstOfTwo::gather_bytes(mine, all, bytes);
      if (bytes == 1) static_cast<char*>(all)[1] = 1;
    }
  };
  const SidedBackend sided(3);
  const HostedBackend hosted;
  FirstOfTwo alike;
  OtherKnowsNone unlike;
  CHECK(all_know_sides(alike, sided, {64, 64, 64}));
  CHECK_FALSE(all_know_sides(unlike, sided, {64, 64, 64}));
  CHECK_FALSE(all_know_sides(alike, hosted, {64, 64, 64}));
}
