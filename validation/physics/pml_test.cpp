#include <cmath>
#include <numbers>

#include <catch2/catch_test_macros.hpp>

#include "kernels/registry.hpp"
#include "validation/cases/domain.hpp"

using namespace minimod;

// The source of the original program: a Ricker of 13.5 Hz that starts 1/15 s before its peak.
TEST_CASE("The reflection of the PML at the centre of a face is -52 dB", "[physics]") {
  const double f = 15 * std::sqrt(8.0) / std::numbers::pi, t0 = 1.0 / 15, end = 1.0;
  Domain small{{127, 127, 127}, 20, 1.61015301e-3};
  small.pml_width = 27;
  small.pml_velocity = 4500;
  Domain large = small;  // so large that no wave returns from its boundary
  large.n = {217, 217, 217};
  large.pml_width = 0;
  const int steps = static_cast<int>(std::lround(end / small.dt)), shift = (large.n.x - small.n.x) / 2;
  const auto samples = ricker_samples(f, t0, small.dt, steps);
  const Index3 source{63, 63, 63}, face{27, 63, 63};
  const auto move = [&](Index3 p) { return Index3{p.x + shift, p.y + shift, p.z + shift}; };
  const auto backend = make_host_backend();
  const auto trace = [&](const Domain& domain, Index3 from, Index3 to) {
    Propagator propagator = make_propagator(*backend, domain, {&find_shape("kokkos"), &find_shape("kokkos")});
    propagator.set_source(from, samples);
    return run_traces(propagator, {to}, steps).front();
  };
  const auto with_pml = trace(small, source, face), without = trace(large, move(source), move(face));
  double reflected = 0, incident = 0;
  for (int n = 0; n <= steps; ++n) {
    reflected = std::max(reflected, std::abs(with_pml[n] - without[n]));
    incident = std::max(incident, std::abs(without[n]));
  }
  const double decibel = 20 * std::log10(reflected / incident);
  INFO("reflection " << decibel << " dB");
  CHECK(std::abs(decibel + 52) < 1.5);
}
