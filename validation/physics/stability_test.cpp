#include <catch2/catch_test_macros.hpp>

#include "validation/physics/homogeneous_run.hpp"

using namespace minimod;

namespace {
/// The extremes after `seconds` of a closed box that a spike set in motion.
Extremes after(double seconds, double share_of_limit) {
  HomogeneousRun run{{33, 31, 29}, 20, 2000};
  run.dt = share_of_limit * stable_dt_limit(run.velocity, {run.h, run.h, run.h});
  const auto backend = make_host_backend();
  Propagator propagator = make_propagator(*backend, run, portable_kernels());
  propagator.set_source({14, 17, 11}, {1e9});
  for (int n = 0; n < seconds / run.dt; ++n) propagator.step();
  return propagator.extremes();
}
}  // namespace

TEST_CASE("The limit of the time step for equal spacings is V dt / h = 0.45286", "[physics]") {
  CHECK(std::abs(stable_dt_limit(2000, {10, 10, 10}) * 2000 / 10 - 0.45286) < 1e-5);
  CHECK(std::abs(stable_dt_limit(2000, {10, 1e9, 1e9}) * 2000 / 10 - 0.78437) < 1e-5);  // 2 / sqrt(6.50159)
}

TEST_CASE("Just under the stability limit a run stays finite, just over it blows up", "[physics]") {
  const Extremes under = after(20, 0.999);
  CHECK(under.finite);
  CHECK(std::max(std::abs(under.min), std::abs(under.max)) < 1e9);
  const Extremes over = after(20, 1.01);
  CHECK((!over.finite || std::max(std::abs(over.min), std::abs(over.max)) > 1e15));
}
