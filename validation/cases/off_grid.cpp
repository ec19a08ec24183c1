/// Sources and receivers between the nodes: moved by half a node together, they give the same trace.
#include <cmath>

#include "src/base/error.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::off_grid_case {

namespace {

// Five points per wavelength at f_max = 2.5 f.
constexpr double velocity = 2000, h = 20, f = 8, t0 = 0.2, dt = 2e-3;  // m/s, m, Hz, s, s
constexpr int steps = 300, edge = 73;
constexpr Point3 source{36, 36, 36}, receiver{52, 40, 28};  // in nodes

Domain make_domain(Interpolation interpolation) {
  Domain domain{{edge, edge, edge}, h, dt};
  domain.velocity = velocity;
  domain.interpolation = interpolation;
  return domain;
}

Point3 moved(Point3 p, Point3 by) {
  return {p.x + by.x, p.y + by.y, p.z + by.z};
}

std::vector<double> trace(Runner& runner, Interpolation interpolation, Point3 shift) {
  return runner
      .traces_between(make_domain(interpolation), moved(source, shift), ricker_samples(f, t0, dt, steps),
                      {moved(receiver, shift)}, steps)
      .front();
}

/// Source and receiver between nodes a little below a free surface, against the full space.
double error_under_surface(Runner& runner) {
  const Point3 from{36.5, 36.25, 1.5}, to{52.5, 40, 2.25};
  Domain half = make_domain(Interpolation::sinc8);
  half.n.z = 37;
  half.free_surface = true;
  const auto samples = ricker_samples(f, t0, dt, steps);
  const auto under = runner.traces_between(half, from, samples, {to}, steps).front();
  const Domain full = make_domain(Interpolation::sinc8);
  const auto at = [](Point3 p, double z) { return Point3{p.x, p.y, 36 + z}; };
  const auto both =
      runner.traces_between(full, at(from, from.z), samples, {at(to, to.z), at(to, -to.z)}, steps);
  std::vector<double> with_image = under;
  for (std::size_t n = 0; n < with_image.size(); ++n) with_image[n] += both[1][n];
  return relative_l2(with_image, both[0]);
}

CaseReport run(Runner& runner) {
  CaseReport report;
  report.setup = {
      "2000 m/s, 20 m, Ricker 8 Hz: 5 points per wavelength at f_max, 12.5 at the peak; 73^3 points, 0.6 s;",
      "source and receiver moved together by half a node along x, and along x, y and z: relative L2 of the",
      "difference from the trace at nodes; r4: 8 nodes an axis, b = 6.31; r8: 16 nodes, b = 12.53;",
      "surface: 1.5 and 2.25 nodes under a free one (r8), with the image's wave added against the full "
      "space"};
  const std::vector<double> at_nodes = trace(runner, Interpolation::sinc4, {0, 0, 0});
  const auto error = [&](Interpolation interpolation, Point3 shift) {
    return relative_l2(trace(runner, interpolation, shift), at_nodes);
  };
  report.figures = {at_most("r4_half_node_x", error(Interpolation::sinc4, {0.5, 0, 0}), 1e-3),
                    at_most("r4_half_node_xyz", error(Interpolation::sinc4, {0.5, 0.5, 0.5}), 3e-3),
                    at_most("r8_half_node_x", error(Interpolation::sinc8, {0.5, 0, 0}), 1e-5),
                    at_most("r8_half_node_xyz", error(Interpolation::sinc8, {0.5, 0.5, 0.5}), 3e-5),
                    at_most("surface", error_under_surface(runner), 2e-6)};
  return report;
}

}  // namespace

CaseBody body() {
  return {"sources and receivers between nodes: Hicks's windowed sinc", run};
}

}  // namespace minimod::off_grid_case
