#include <catch2/catch_test_macros.hpp>

#include "validation/physics/homogeneous_run.hpp"

using namespace minimod;

namespace {

/// Σ (u_t/V)² + u (−∇²u) over the interior, with u_t from two neighbouring steps: twice the energy over the
/// cell's volume, up to the factor of the density.
double energy(const std::vector<float>& now, const std::vector<float>& before, Extent3 n,
              const HomogeneousRun& run) {
  const auto weights = make_stencil_weights<float>({run.h, run.h, run.h});
  constexpr int r = stencil_radius;
  double sum = 0;
  for (int z = r; z < n.z - r; ++z) {
    for (int y = r; y < n.y - r; ++y) {
      for (int x = r; x < n.x - r; ++x) {
        const std::int64_t i = (std::int64_t{z} * n.y + y) * n.x + x;
        const auto star = evaluate(weights, MemoryStar<float>{&now[i], n.x, std::int64_t{n.x} * n.y});
        const double velocity = (double{now[i]} - before[i]) / (run.dt * run.velocity);
        sum += velocity * velocity - double{before[i]} * star.laplacian;
      }
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("The PML takes the energy out of the box", "[physics]") {
  HomogeneousRun run{{114, 114, 114}, 20, 2000, 0, 27, 2000};
  run.dt = 0.8 * stable_dt_limit(run.velocity, {run.h, run.h, run.h});
  const auto backend = make_host_backend();
  Propagator propagator = make_propagator(*backend, run, portable_kernels());
  propagator.set_source({57, 57, 57}, ricker_samples(10, 0.12, run.dt, 120));
  const Box3 whole{{0, 0, 0}, {run.n.x, run.n.y, run.n.z}};
  const auto energy_now = [&] {
    const auto before = propagator.wavefield(whole);
    propagator.step();
    return energy(propagator.wavefield(whole), before, run.n, run);
  };
  while (propagator.steps_done() * run.dt < 0.3) propagator.step();
  const double filled = energy_now();
  while (propagator.steps_done() * run.dt < 3) propagator.step();
  const double left = energy_now();
  INFO("energy left " << left / filled);
  CHECK(filled > 0);
  CHECK(std::abs(left) < 1e-6 * filled);
}

// The source of the original program: a Ricker of 13.5 Hz that starts 1/15 s before its peak.
TEST_CASE("The reflection of the PML at the centre of a face is -52 dB", "[physics]") {
  const double f = 15 * std::sqrt(8.0) / std::numbers::pi, t0 = 1.0 / 15, end = 1.0;
  HomogeneousRun small{{127, 127, 127}, 20, 2000, 1.61015301e-3, 27, 4500};
  HomogeneousRun large = small;  // so large that no wave returns from its boundary
  large.n = {217, 217, 217};
  large.pml_width = 0;
  const int steps = static_cast<int>(std::lround(end / small.dt)), shift = (large.n.x - small.n.x) / 2;
  const auto samples = ricker_samples(f, t0, small.dt, steps);
  const Index3 source{63, 63, 63}, face{27, 63, 63};
  const auto move = [&](Index3 p) { return Index3{p.x + shift, p.y + shift, p.z + shift}; };
  const auto with_pml = run_traces(small, source, samples, {face}, steps).front();
  const auto without = run_traces(large, move(source), samples, {move(face)}, steps).front();
  double reflected = 0, incident = 0;
  for (int n = 0; n <= steps; ++n) {
    reflected = std::max(reflected, std::abs(double{with_pml[n]} - without[n]));
    incident = std::max(incident, std::abs(double{without[n]}));
  }
  const double decibel = 20 * std::log10(reflected / incident);
  INFO("reflection " << decibel << " dB");
  CHECK(std::abs(decibel + 52) < 1.5);
}
