#include "validation/cases/means/domain.hpp"

#include "src/ranks/domain_part.hpp"

namespace minimod {

Propagator make_propagator(Backend& backend, const Domain& domain, const KernelSet& kernels,
                           Decomposition decomposition) {
  Problem problem = domain.problem();
  problem.domain.decomposition = decomposition;
  Propagator propagator(backend, problem.domain, problem.boundary, kernels);
  set_medium(propagator, problem, domain.medium());
  return propagator;
}

MediumPlanes Domain::medium() const {
  return {columns ? *columns : random_columns(equation, n), [of = *this](int z, float* plane) {
            for (int y = 0; y < of.n.y; ++y) {
              for (int x = 0; x < of.n.x; ++x) {
                plane[std::int64_t{y} * of.n.x + x] = static_cast<float>(of.velocity_of({x, y, z}));
              }
            }
          }};
}

MediumColumns layered_columns(Equation equation, int planes) {
  return {{1, 1, planes}, [usual = facts_of(equation).usual](std::size_t column, Index3 p) {
            return usual[column] * (p.z / 7 % 2 == 0 ? 0.9 : 1.1);
          }};
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
