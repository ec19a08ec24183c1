#include "validation/cases/domain.hpp"

namespace minimod {

Propagator make_propagator(Backend& backend, const Domain& domain, const KernelSet& kernels,
                           Decomposition decomposition) {
  const Extent3 n = domain.n;
  const Grid grid = domain.grid();
  Propagator propagator(backend, grid, make_boundary(domain.boundary(), n, grid.spacing, domain.dt), kernels,
                        decomposition);
  propagator.set_velocity(domain.dt, [&](int z, float* plane) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) {
        plane[std::int64_t{y} * n.x + x] = static_cast<float>(domain.velocity_of({x, y, z}));
      }
    }
  });
  return propagator;
}

std::vector<double> ricker_samples(double f, double t0, double dt, int steps) {
  std::vector<double> samples(steps);
  for (int n = 0; n < steps; ++n) samples[n] = ricker(n * dt, f, t0);
  return samples;
}

std::vector<std::vector<double>> run_traces(Propagator& propagator, const std::vector<Index3>& receivers,
                                            int steps) {
  propagator.set_receivers(receivers, steps + 1);
  return run_traces(propagator, receivers.size(), steps);
}

std::vector<std::vector<double>> run_traces(Propagator& propagator, std::size_t receivers, int steps) {
  propagator.record();
  for (int n = 0; n < steps; ++n) {
    propagator.step();
    propagator.record();
  }
  const std::vector<float> batch = propagator.fetch_batch();
  std::vector<std::vector<double>> traces(receivers, std::vector<double>(steps + 1));
  for (int n = 0; n <= steps; ++n) {
    for (std::size_t r = 0; r < receivers; ++r) traces[r][n] = batch[n * receivers + r];
  }
  return traces;
}

std::vector<double> times(double dt, int steps) {
  std::vector<double> t(steps + 1);
  for (int n = 0; n <= steps; ++n) t[n] = n * dt;
  return t;
}

}  // namespace minimod
