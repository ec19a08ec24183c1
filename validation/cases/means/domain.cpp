#include "validation/cases/means/domain.hpp"

namespace minimod {

Propagator make_propagator(Backend& backend, const Domain& domain, const KernelSet& kernels,
                           Decomposition decomposition) {
  Propagator propagator(backend, domain.grid(), domain.profiles(), kernels, decomposition, nullptr,
                        domain.equation);
  set_medium(propagator, domain);
  return propagator;
}

void set_medium(Propagator& propagator, const Domain& domain, int first_z) {
  const Extent3 n = domain.n;
  propagator.set_columns(domain.columns ? *domain.columns : random_columns(domain.equation, n));
  propagator.set_velocity(domain.dt, [&](int z, float* plane) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) {
        plane[std::int64_t{y} * n.x + x] = static_cast<float>(domain.velocity_of({x, y, first_z + z}));
      }
    }
  });
}

std::vector<double> ricker_samples(double f, double t0, double dt, int steps) {
  std::vector<double> samples(steps);
  for (int n = 0; n < steps; ++n) samples[n] = ricker(n * dt, f, t0);
  return samples;
}

Reals run_batch(Propagator& propagator, int steps) {
  propagator.record();
  for (int n = 0; n < steps; ++n) {
    propagator.step();
    propagator.record();
  }
  return propagator.fetch_batch();
}

std::vector<double> times(double dt, int steps) {
  std::vector<double> t(steps + 1);
  for (int n = 0; n <= steps; ++n) t[n] = n * dt;
  return t;
}

}  // namespace minimod
