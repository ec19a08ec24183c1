/// Ranks of one domain agree, before the first step, on a transport that brings what is sent.
#include "src/ranks/domain_part.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "kernels/registry.hpp"
#include "src/solver/schedules.hpp"
#include "validation/unit/expect_error.hpp"

using namespace minimod;

namespace {

/// The first of two ranks. What it is sent never comes.
class DeafRank final : public Ranks {
 public:
  DeafRank() { size_ = 2; }
  [[nodiscard]] bool takes_gpu_memory() const override { return false; }
  void send(int /*to*/, std::span<const float> /*values*/) override {}
  void receive(int /*from*/, std::span<float> /*values*/) override {}
  void start_exchange(std::span<const Message> /*messages*/) override {}
  void finish_exchange() override {}
  void finish() override {}
  [[nodiscard]] ExitCode leave(ExitCode code, const std::string& /*line*/) override { return code; }

 private:
  void gather_bytes(const void* mine, void* all, std::size_t bytes) override {
    for (std::size_t rank = 0; rank < 2; ++rank) {
      std::copy_n(static_cast<const char*>(mine), bytes, static_cast<char*>(all) + rank * bytes);
    }
  }
  void broadcast_bytes(int /*from*/, void* /*value*/, std::size_t /*bytes*/) override {}
};

}  // namespace

TEST_CASE("A transport that does not bring what a neighbour sends is refused", "[unit]") {
  const auto host = make_host_backend();
  const BoundarySpec spec = make_boundary_spec(BoundaryKind::pml, 4, false, 2000, 10);
  const StepProblem domain{make_grid({20, 20, 30}, {10, 10, 10}, spec), spec, Decomposition::seven};
  const Boundary boundary = make_boundary(spec, domain.grid.n, domain.grid.spacing, 1e-3);
  const KernelSet kernels{&find_shape("reference"), &find_shape("reference"), &sequence()};
  DeafRank ranks;
  for (const Transport transport : {Transport::mpi, Transport::staged}) {
    const DomainCut cut{&ranks, cut_by_cost(domain, 2), transport, {}};
    const Outcome outcome =
        outcome_of([&] { static_cast<void>(make_part(*host, domain, boundary, 1e-3, kernels, cut)); });
    CHECK(outcome.code == ExitCode::unavailable);
    CHECK(outcome.says("garbles what rank 1 sends to rank 0"));
  }
}
