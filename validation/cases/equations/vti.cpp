/// VTI waves on the host: order, dispersion, the isotropic and the elliptic case, reciprocity, the limit of
/// Δt.
#include <cmath>
#include <numbers>

#include "kernels/random_field.hpp"
#include "src/base/error.hpp"
#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/convergence.hpp"
#include "validation/cases/means/equation_run.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::vti_case {

namespace {

constexpr const char* kernel_of_case = "vti (float64, host)";
constexpr double epsilon = 0.24, delta = 0.1;

Thomsen constant_medium(Index3) {
  return {epsilon, delta};
}
Thomsen isotropic_medium(Index3) {
  return {};
}

/// ε ≥ δ at random from node to node, up to the constants above.
Thomsen random_medium(Index3 p) {
  const double share = (1 + random_value(4, p.x, p.y, p.z)) / 2;
  return {delta + (epsilon - delta) * share, delta * random_value(5, p.x, p.y, p.z)};
}

Domain random_box(int edge, int pml_width) {
  Domain domain{{edge, edge - 2, edge - 1}};
  domain.stretch = {1, 0.9, 0.8};
  domain.velocity_at = [](Index3 p) { return 2500 + 1000 * random_value(3, p.x, p.y, p.z); };
  domain.pml_width = pml_width;
  domain.pml_velocity = 3500;
  domain.dt = default_dt_fraction * vti_dt_limit(3500, epsilon, delta, domain.spacing());
  return domain;
}

/// A plane wave of p and q in the medium, its polarisation and frequency exact: relative L2 error of what one
/// step adds to p and q, which is the differences' alone.
double operator_error(double h) {
  const int nodes = static_cast<int>(std::lround(240 / h)), n = nodes + 2 * stencil_radius;
  const Domain domain{{n, n, n}, h, 1e6, 1};
  VtiRun<double> run(domain, constant_medium);
  constexpr double turn = 2 * std::numbers::pi;
  const double kx = turn / 300, ky = turn / 420, kz = turn / 340;
  const auto phase = [&](Index3 at) { return h * (kx * at.x + ky * at.y + kz * at.z); };
  run.for_points([&](Index3 at, std::int64_t i) {
    run.p.now[i] = run.p.next[i] = std::sin(phase(at));
    run.q.now[i] = run.q.next[i] = std::cos(phase(at));
  });
  run.step();
  const Box3 inside{{4, 4, 4}, {4 + nodes, 4 + nodes, 4 + nodes}};
  const double coupled = std::sqrt(1 + 2 * delta);
  double difference = 0, size = 0;
  run.for_points([&](Index3 at, std::int64_t i) {
    if (!inside.contains(at)) return;
    const double across = -(kx * kx + ky * ky) * std::sin(phase(at)), along = -kz * kz * std::cos(phase(at));
    const double exact[2] = {(1 + 2 * epsilon) * across + coupled * along, coupled * across + along};
    const double found[2] = {run.p.now[i] - run.p.next[i], run.q.now[i] - run.q.next[i]};
    for (int field = 0; field < 2; ++field) {
      const double error = found[field] / (domain.dt * domain.dt) - exact[field];
      difference += error * error;
      size += exact[field] * exact[field];
    }
  });
  return std::sqrt(difference / size);
}

/// ε = δ = 0 and p = q against the isotropic wave, after 200 steps with a layer.
template <class Real>
double difference_from_isotropic() {
  const Domain domain = random_box(24, 5);
  VtiRun<Real> run(domain, isotropic_medium);
  WaveRun<Real> wave(domain);
  const std::int64_t source = run.index({12, 10, 11});
  run.p.now[source] = run.q.now[source] = wave.u.now[source] = 1;
  for (int step = 0; step < 100; ++step) run.step(), wave.step();
  return std::max(relative_l2(run.p.now, wave.u.now), relative_l2(run.q.now, wave.u.now));
}

/// ε = δ, p = √(1 + 2ε) q: q against the isotropic wave that is faster by √(1 + 2ε), z stretched as much.
double difference_from_stretched() {
  const double factor = std::sqrt(1 + 2 * epsilon);
  Domain domain = random_box(24, 0);
  VtiRun<double> run(domain, [](Index3) { return Thomsen{epsilon, epsilon}; });
  domain.stretch.z *= factor;
  domain.velocity_at = [factor, slower = domain.velocity_at](Index3 p) { return factor * slower(p); };
  WaveRun<double> wave(domain);
  const std::int64_t source = run.index({12, 10, 11});
  run.q.now[source] = wave.u.now[source] = 1;
  run.p.now[source] = factor;
  for (int step = 0; step < 100; ++step) run.step(), wave.step();
  return relative_l2(run.q.now, wave.u.now);
}

/// Trace of two stresses from a source at one place to a receiver at another. The source acts on the strains,
/// σ_tt = C (D σ + s). With the same weights the receiver reads the stresses.
std::vector<double> trace_between(Index3 source, Index3 receiver) {
  constexpr double weight_p = 2, weight_q = 1;
  const Domain domain = random_box(24, 0);
  VtiRun<double> run(domain, random_medium);
  const std::int64_t s = run.index(source), r = run.index(receiver);
  std::vector<double> trace;
  for (int step = 0; step < 300; ++step) {
    run.step();
    const double sample = run.v2dt2[s] * ricker(step * domain.dt, 15, 0.08);
    run.p.now[s] += sample * (run.horizontal[s] * weight_p + run.coupling[s] * weight_q);
    run.q.now[s] += sample * (run.coupling[s] * weight_p + weight_q);
    trace.push_back(weight_p * run.p.now[r] + weight_q * run.q.now[r]);
  }
  return trace;
}

/// Greatest |p| or |q| after 10,000 steps from noise at rest.
double rise(double share, const std::function<Thomsen(Index3)>& medium, Extent3 n = {9, 8, 7}) {
  Domain domain{n};
  domain.stretch = {1, 0.9, 0.8};
  domain.dt = share * vti_dt_limit(domain.velocity, epsilon, delta, domain.spacing());
  VtiRun<double> run(domain, medium);
  run.for_points([&](Index3 at, std::int64_t i) {
    run.p.now[i] = run.p.next[i] = random_value(9, at.x, at.y, at.z);
    run.q.now[i] = run.q.next[i] = random_value(10, at.x, at.y, at.z);
  });
  double greatest = 0;
  for (int step = 0; step < 10000 && greatest < 1e6; ++step) {
    run.step();
    run.for_points([&](Index3, std::int64_t i) {
      greatest = std::max({greatest, std::abs(run.p.now[i]), std::abs(run.q.now[i])});
    });
  }
  return greatest;
}

/// Greatest |p| when all has met the edges of a box several times, with a layer of ten points or none. The
/// source acts on the strains, in a sphere with ε = δ, which makes less of the slow waves that V_S = 0 leaves
/// (Duveneck et al. 2008).
double left(int pml_width) {
  Domain domain{{40, 38, 36}};
  constexpr Index3 source{20, 18, 16};
  domain.pml_width = pml_width;
  domain.pml_velocity = domain.velocity * std::sqrt(1 + 2 * epsilon);
  domain.dt = default_dt_fraction * vti_dt_limit(domain.velocity, epsilon, delta, domain.spacing());
  VtiRun<double> run(domain, [&](Index3 at) {
    const int x = at.x - source.x, y = at.y - source.y, z = at.z - source.z;
    return Thomsen{x * x + y * y + z * z < 36 ? delta : epsilon, delta};
  });
  const std::int64_t s = run.index(source);
  double greatest = 0;
  for (int step = 0; step < 600; ++step) {
    run.step();
    const double sample = run.v2dt2[s] * ricker(step * domain.dt, 10, 0.12);
    run.p.now[s] += sample * (run.horizontal[s] + run.coupling[s]);
    run.q.now[s] += sample * (run.coupling[s] + 1);
  }
  run.for_points([&](Index3, std::int64_t i) { greatest = std::max(greatest, std::abs(run.p.now[i])); });
  return greatest;
}

CaseReport run(Runner& /*the host's own*/) {
  CaseReport report;
  report.setup = {
      "p_tt = V^2 [(1 + 2 eps) (dxx + dyy) p + sqrt(1 + 2 delta) dzz q], float64 on the host,",
      "q_tt = V^2 [sqrt(1 + 2 delta) (dxx + dyy) p + dzz q], eps = 0.24, delta = 0.1, or random below:",
      "relative L2 of the differences of plane waves, h = 24, 20, 16, 12 m; after 100 steps from the",
      "isotropic wave, eps = delta = 0, with a layer, and, eps = delta, in stretched z; between traces",
      "there and back; greatest |p| or |q| after 10,000 steps from noise of at most 1 at 0.999 and",
      "1.01 of the limit; greatest |p| that a layer of 10 points leaves of a wave, over a closed box"};
  const std::vector<double> spacings{24, 20, 16, 12};
  std::vector<double> errors;
  errors.reserve(spacings.size());
  for (const double h : spacings) errors.push_back(operator_error(h));
  const std::vector<double> there = trace_between({6, 7, 5}, {17, 15, 16});
  const std::vector<double> back = trace_between({17, 15, 16}, {6, 7, 5});
  report.figures = {at_least("slope", slope(spacings, errors), 7.2, "order"),
                    at_most("isotropic", difference_from_isotropic<double>(), 1e-13),
                    at_most("isotropic_float32", difference_from_isotropic<float>(), 2e-6),
                    at_most("elliptic", difference_from_stretched(), 1e-12),
                    at_most("there_and_back", relative_l2(back, there), 1e-12),
                    at_most("rise_constant", rise(0.999, constant_medium), 1000),
                    at_most("rise_random", rise(0.999, random_medium), 1000),
                    at_least("rise_over_the_limit", rise(1.01, constant_medium, {19, 18, 17}), 1e6),
                    at_most("left_by_the_pml", left(10) / left(0), 1e-2)};
  report.pictures = {draw_convergence("Order of the VTI differences, float64", "h (m)", spacings, errors, 8)};
  for (Figure& figure : report.figures) figure.kernel = kernel_of_case;
  return report;
}

}  // namespace

CaseBody body() {
  return {"VTI, float64: order, isotropic and elliptic case, symmetry, stability", run};
}

}  // namespace minimod::vti_case
