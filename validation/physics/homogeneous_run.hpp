/// A run in a homogeneous medium for the physics tests: a point source, receivers, the portable kernel.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>

#include "kernels/registry.hpp"
#include "src/propagator.hpp"
#include "src/time_step.hpp"

namespace minimod {

struct HomogeneousRun {
  Extent3 n;
  double h = 20;           ///< m
  double velocity = 2000;  ///< m/s
  double dt = 1e-3;        ///< s
  int pml_width = 0;
  double pml_velocity = 4500;
};

inline double ricker(double t, double f, double t0) {
  const double a = std::pow(std::numbers::pi * f * (t - t0), 2);
  return (1 - 2 * a) * std::exp(-a);
}

inline Propagator make_propagator(Backend& backend, const HomogeneousRun& run, const KernelSet& kernels,
                                  Decomposition decomposition = Decomposition::seven) {
  const Grid grid = make_grid(run.n, {run.h, run.h, run.h}, run.pml_width);
  const BoundarySpec spec = make_boundary_spec(BoundaryKind::pml, run.pml_width, false, run.pml_velocity, 0);
  Propagator propagator(backend, grid, make_boundary(spec, grid.n, grid.spacing, run.dt), kernels,
                        decomposition);
  propagator.set_velocity(run.dt, [&](int, float* plane) {
    std::fill_n(plane, std::int64_t{run.n.x} * run.n.y, static_cast<float>(run.velocity));
  });
  return propagator;
}

inline KernelSet portable_kernels() {
  return {&find_shape("kokkos"), &find_shape("kokkos")};
}

inline std::vector<double> ricker_samples(double f, double t0, double dt, int steps) {
  std::vector<double> samples(steps);
  for (int n = 0; n < steps; ++n) samples[n] = ricker(n * dt, f, t0);
  return samples;
}

/// The traces [receiver][step] of `steps` steps, the initial state included.
inline std::vector<std::vector<float>> run_traces(const HomogeneousRun& run, Index3 source,
                                                  const std::vector<double>& samples,
                                                  const std::vector<Index3>& receivers, int steps) {
  const auto backend = make_host_backend();
  Propagator propagator = make_propagator(*backend, run, portable_kernels());
  propagator.set_source(source, samples);
  propagator.set_receivers(receivers, steps + 1);
  propagator.record();
  for (int n = 0; n < steps; ++n) {
    propagator.step();
    propagator.record();
  }
  const std::vector<float> batch = propagator.fetch_batch();
  std::vector<std::vector<float>> traces(receivers.size(), std::vector<float>(steps + 1));
  for (int n = 0; n <= steps; ++n) {
    for (std::size_t r = 0; r < receivers.size(); ++r) traces[r][n] = batch[n * receivers.size() + r];
  }
  return traces;
}

}  // namespace minimod
