#include <catch2/catch_test_macros.hpp>

#include "validation/physics/homogeneous_run.hpp"

using namespace minimod;

namespace {
/// Relative L2 difference of a trace from s(t − r/V) / (4πr).
double green_error(const std::vector<float>& trace, double r, double v, double dt, double f, double t0) {
  double difference = 0, size = 0;
  for (std::size_t n = 0; n < trace.size(); ++n) {
    const double t = static_cast<double>(n) * dt - r / v;
    const double exact = t >= 0 ? ricker(t, f, t0) / (4 * std::numbers::pi * r) : 0;
    difference += std::pow(trace[n] - exact, 2);
    size += exact * exact;
  }
  return std::sqrt(difference / size);
}
}  // namespace

// No wave that met the boundary arrives before 0.4 s: the box reaches 600 m beyond the source on every side.
TEST_CASE("A point source gives the Green's function of a homogeneous medium", "[physics]") {
  const double f = 15, t0 = 0.1, end = 0.4;
  HomogeneousRun run{{131, 131, 131}, 10, 2000, 0.5e-3};
  const int steps = static_cast<int>(std::lround(end / run.dt));
  const Index3 source{65, 65, 65}, on_axis{105, 65, 65}, diagonal{88, 88, 88};
  const auto traces =
      run_traces(run, source, ricker_samples(f, t0, run.dt, steps), {on_axis, diagonal}, steps);
  const double axis_error = green_error(traces[0], 400, run.velocity, run.dt, f, t0);
  const double diagonal_error = green_error(traces[1], 230 * std::sqrt(3.0), run.velocity, run.dt, f, t0);
  INFO("relative L2 on axis " << axis_error << ", on the diagonal " << diagonal_error);
  CHECK(axis_error < 3.6e-3);
  CHECK(axis_error > 3.2e-3);
  CHECK(diagonal_error < 3.9e-3);
}
