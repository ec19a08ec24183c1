/// Waves of variable density on the host: the order of the difference, its symmetry, its limit of Δt, what it
/// reflects, and that of constant density they are the waves of every other case.
#include <cmath>
#include <numbers>

#include "boundary/sponge.hpp"
#include "kernels/random_field.hpp"
#include "kernels/registry.hpp"
#include "src/base/error.hpp"
#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/convergence.hpp"
#include "validation/cases/means/equation_run.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/reflection.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::density_case {

namespace {

constexpr const char* kernel_of_case = "density (float64, host)";
constexpr double light = 1000, heavy = 2700, air = 1.2;  // kg/m³

/// A sine of a wavelength (m) along each axis, with its first two derivatives.
struct Sine {
  double offset, amplitude, wave_number, phase;
  [[nodiscard]] double value(double x) const {
    return offset + amplitude * std::sin(wave_number * x + phase);
  }
  [[nodiscard]] double slope(double x) const {
    return amplitude * wave_number * std::cos(wave_number * x + phase);
  }
  [[nodiscard]] double bend(double x) const { return -wave_number * wave_number * (value(x) - offset); }
};

/// Relative L2 error of ∇·(b ∇p), p and ρ products of sines, away from the sides, where ρ is cut.
double operator_error(double h) {
  constexpr double turn = 2 * std::numbers::pi;
  const Sine p[3] = {{0, 1, turn / 400, 0.3}, {0, 1, turn / 360, 1.1}, {0, 1, turn / 440, 2.0}};
  const Sine r[3] = {{1, 0.4, turn / 500, 0.7}, {1, 0.3, turn / 380, 2.1}, {1, 0.35, turn / 420, 0.2}};
  constexpr int rim = 3 * stencil_radius;
  const int nodes = static_cast<int>(std::lround(240 / h));
  Domain domain{{nodes + 2 * rim, nodes + 2 * rim, nodes + 2 * rim}, h, 1e6, 1};
  const auto at = [&](int axis, Index3 node) {
    return h * ((axis == 0 ? node.x : axis == 1 ? node.y : node.z) - rim);
  };
  DensityRun<double> run(domain, [&](Index3 node) {
    return light * r[0].value(at(0, node)) * r[1].value(at(1, node)) * r[2].value(at(2, node));
  });
  run.for_points([&](Index3 node, std::int64_t i) {
    run.u.now[i] = p[0].value(at(0, node)) * p[1].value(at(1, node)) * p[2].value(at(2, node));
  });
  run.u.next = run.u.now;
  run.step();
  double difference = 0, size = 0;
  const Box3 inside{{rim, rim, rim}, {rim + nodes, rim + nodes, rim + nodes}};
  run.for_points([&](Index3 node, std::int64_t i) {
    if (!inside.contains(node)) return;
    double exact = 0;  // exact value of ρ ∇·(b ∇p) = ∇²p − ∇(ln ρ)·∇p
    for (int axis = 0; axis < 3; ++axis) {
      const double x = at(axis, node);
      const double rest = p[(axis + 1) % 3].value(at((axis + 1) % 3, node)) *
                          p[(axis + 2) % 3].value(at((axis + 2) % 3, node));
      exact += rest * (p[axis].bend(x) - r[axis].slope(x) / r[axis].value(x) * p[axis].slope(x));
    }
    const double found = (run.u.now[i] - run.u.next[i]) / (domain.dt * domain.dt);
    difference += (found - exact) * (found - exact);
    size += exact * exact;
  });
  return std::sqrt(difference / size);
}

/// A box in which V and ρ change at random from node to node.
Domain random_box(int edge, int pml_width) {
  Domain domain{{edge, edge - 2, edge - 1}};
  domain.stretch = {1, 0.9, 0.8};
  domain.velocity_at = [](Index3 p) { return 2500 + 1000 * random_value(3, p.x, p.y, p.z); };
  domain.pml_width = pml_width;
  domain.pml_velocity = 3500;
  return domain;
}

double random_density(Index3 p) {
  return (light + heavy) / 2 + (heavy - light) / 2 * random_value(7, p.x, p.y, p.z);
}

/// From constant density, after 100 steps with a layer.
template <class Real>
double difference_from_constant() {
  Domain domain = random_box(24, 5);
  DensityRun<Real> run(domain, [](Index3) { return heavy; });
  domain.dt = default_dt_fraction * run.limit;
  run = DensityRun<Real>(domain, [](Index3) { return heavy; });
  WaveRun<Real> wave(domain);
  const std::int64_t source = run.index({12, 10, 11});
  run.u.now[source] = wave.u.now[source] = 1;
  for (int step = 0; step < 100; ++step) run.step(), wave.step();
  return relative_l2(run.u.now, wave.u.now);
}

std::vector<double> trace_between(Index3 source, Index3 receiver) {
  DensityRun<double> run(random_box(24, 0), random_density);
  std::vector<double> trace;
  for (int step = 0; step < 300; ++step) {
    run.step();
    run.u.now[run.index(source)] += run.modulus[run.index(source)] * ricker(step * run.domain.dt, 15, 0.08);
    trace.push_back(run.u.now[run.index(receiver)]);
  }
  return trace;
}

/// Greatest |p| after 10,000 steps at 0.999 of the limit from noise at rest.
double rise(double least) {
  Domain domain{{9, 8, 7}};
  const auto density = [least](Index3 p) { return random_value(5, p.x, p.y, p.z) < 0 ? least : heavy; };
  domain.dt = 0.999 * DensityRun<double>(domain, density).limit;
  DensityRun<double> run(domain, density);
  run.for_points([&](Index3 p, std::int64_t i) { run.u.now[i] = random_value(9, p.x, p.y, p.z); });
  run.u.next = run.u.now;
  double greatest = 0;
  for (int step = 0; step < 10000 && greatest < 1e6; ++step) {
    run.step();
    run.for_points([&](Index3, std::int64_t i) { greatest = std::max(greatest, std::abs(run.u.now[i])); });
  }
  return greatest;
}

/// The trace at a node of a column of which all neighbours are alike: a plane wave.
std::vector<double> plane_trace(int receiver, const std::function<double(Index3)>& density) {
  Domain domain{{1, 1, 600}, 10, 1e-3};
  DensityRun<double> run(domain, density);
  std::vector<double> trace;
  for (int step = 0; step < 900; ++step) {
    for (int z = 0; z < domain.n.z; ++z) {
      for (int m = 1; m <= stencil_radius; ++m) {
        for (const Index3 beside : {Index3{m, 0, z}, Index3{-m, 0, z}, Index3{0, m, z}, Index3{0, -m, z}})
          run.u.now[run.index(beside)] = run.u.now[run.index({0, 0, z})];
      }
    }
    run.step();
    const std::int64_t source = run.index({0, 0, 200});
    run.u.now[source] += run.modulus[source] * ricker(step * domain.dt, 10, 0.12);
    trace.push_back(run.u.now[run.index({0, 0, receiver})]);
  }
  return trace;
}

/// Error of a wave reflected at normal incidence by a step of ρ between nodes 299 and 300. The exact one is
/// that of constant ρ at the receiver's mirror image times the coefficient.
double reflection_error(double above, double below) {
  const auto step = [&](Index3 p) { return p.z < 300 ? above : below; };
  const auto constant = [&](Index3) { return above; };
  std::vector<double> reflected = plane_trace(250, step), exact = plane_trace(349, constant);
  const std::vector<double> direct = plane_trace(250, constant);
  for (std::size_t i = 0; i < reflected.size(); ++i) {
    reflected[i] -= direct[i];
    exact[i] *= (below - above) / (below + above);
  }
  return relative_l2(reflected, exact);
}

// ---- with a CPML, which is the solver's: corrections behind the steps of `kokkos` ----

constexpr int cpml_width = 10;

/// A box with a CPML and a density, or without one the wave of constant density; Δt of 0 becomes that
/// `fraction` of the limit.
Domain with_cpml(Domain domain, const std::function<double(Index3)>& density, double fraction = 0.8) {
  domain.kind = BoundaryKind::cpml;
  domain.frequency = 15;
  if (density) {
    domain.equation = Equation::density;
    domain.columns = MediumColumns{domain.n, [=](std::size_t, Index3 p) { return density(p); }};
  }
  if (domain.dt == 0) {
    const MediumColumns columns = domain.columns.value_or(MediumColumns{});
    domain.dt = fraction *
                dt_limit_of(domain.equation, domain.pml_velocity, domain.spacing(), domain.radius, columns);
  }
  return domain;
}

Propagator start(Backend& backend, const Domain& domain) {
  const CodeShape& shape = find_shape("kokkos", domain.radius, domain.precision, domain.equation);
  return make_propagator(backend, domain, {&shape, &shape});
}

/// From the wave of constant density, after 100 steps of noise in V at random.
double cpml_difference_from_constant(Precision precision) {
  Domain domain = random_box(24, 5);
  domain.precision = precision;
  domain.dt = 1e-3;
  const auto host = make_host_backend();
  const auto noise = [&](const Domain& of) {
    Propagator run = start(*host, of);
    run.set_random_field(5);
    for (int step = 0; step < 100; ++step) run.step();
    return run.wavefield(of.whole());
  };
  return relative_l2(noise(with_cpml(domain, [](Index3) { return heavy; })), noise(with_cpml(domain, {})));
}

/// Greatest |p| in 10,000 steps at 0.999 of the limit, from noise, in layers that fill most of a box, whose
/// density is one of two at random from cube to cube of `edge` nodes.
double rise_in_cpml(double least, int edge) {
  Domain domain{{20, 19, 18}};
  domain.precision = Precision::float64;
  domain.pml_width = 6;
  domain.pml_velocity = domain.velocity;
  const auto host = make_host_backend();
  const auto density = [=](Index3 p) {
    return random_value(5, p.x / edge, p.y / edge, p.z / edge) < 0 ? least : heavy;
  };
  Propagator run = start(*host, with_cpml(domain, density, 0.999));
  run.set_random_field(9);
  double greatest = 0;
  while (run.steps_done() < 10000 && greatest < 1e6) {
    run.step();
    const Extremes found = run.extremes();
    greatest = found.finite ? std::max({greatest, -found.min, found.max}) : HUGE_VAL;
  }
  return greatest;
}

/// Reflection of a CPML, dB, against a run in a larger domain: the worse of two, at the model's outermost
/// nodes at the middle of a side and at a corner. `below` is the density from half the depth on.
double cpml_reflection(std::optional<double> below) {
  constexpr int model = 21, room = 28, steps = 160;  // room enough that no edge answers in time
  const auto traces = [&](int around) {
    Domain domain;
    const int edge = model + 2 * around, middle = edge / 2;
    domain.n = {edge, edge, edge};
    domain.h = 10;
    domain.dt = 2e-3;
    domain.precision = Precision::float64;
    domain.pml_width = cpml_width;
    domain.pml_velocity = domain.velocity;
    std::function<double(Index3)> density;
    if (below) density = [=](Index3 p) { return p.z < middle ? light : *below; };
    const auto host = make_host_backend();
    Propagator run = start(*host, with_cpml(domain, density));
    run.set_source({middle, middle, middle - 3}, ricker_samples(15, 0.08, domain.dt, steps));
    const int last = around + model - 1;
    run.set_receivers({{last, middle, middle + 2}, {last, last, last}}, steps + 1);
    return run_batch(run, steps).as_doubles();
  };
  const std::vector<double> found = traces(cpml_width), expected = traces(room);
  double worst = -300;
  for (int receiver : {0, 1}) {
    std::vector<double> with, without;
    for (std::size_t i = receiver; i < found.size(); i += 2) {
      with.push_back(found[i]);
      without.push_back(expected[i]);
    }
    worst = std::max(worst, reflection_decibel(with, without));
  }
  return worst;
}

enum class Edge { closed, pml, sponge };

/// Greatest |p| in a box of two densities when all has met its edges, with a layer of ten points or none.
double left(Edge edge) {
  constexpr int width = 10;
  Domain domain{{40, 38, 36}};
  domain.pml_width = edge == Edge::pml ? width : 0;
  domain.pml_velocity = domain.velocity;
  domain.dt = 3e-3;
  DensityRun<double> run(domain, [](Index3 p) { return p.z < 20 ? light : heavy; });
  const auto x = make_taper(domain.n.x, width, width), y = make_taper(domain.n.y, width, width),
             z = make_taper(domain.n.z, width, width);
  const std::int64_t source = run.index({20, 18, 16});
  double greatest = 0;
  for (int step = 0; step < 300; ++step) {
    run.step();
    run.u.now[source] += run.modulus[source] * ricker(step * domain.dt, 10, 0.12);
    if (edge != Edge::sponge) continue;
    const Taper<double> taper{run.grid.layout, run.u.next.data(), run.u.now.data(),
                              x.data(),        y.data(),          z.data()};
    run.for_points([&](Index3 p, std::int64_t) { taper(p); });
  }
  run.for_points([&](Index3, std::int64_t i) { greatest = std::max(greatest, std::abs(run.u.now[i])); });
  return greatest;
}

CaseReport run(Runner& /*the host's own*/) {
  CaseReport report;
  report.setup = {
      "1/(rho V^2) p_tt = div(1/rho grad p) + s, float64 on the host: relative L2 of the difference of",
      "products of sines, h = 16, 12, 10, 8 m; from constant density after 100 steps with a layer;",
      "between traces there and back, rho at random from 1000 to 2700 kg/m3; greatest |p| after 10,000",
      "steps from noise of at most 1, rho one of two values at random, at 0.999 of the limit; a plane",
      "wave reflected by a step of rho, Ricker 10 Hz, h = 10 m; greatest |p| that a layer of 10 points",
      "leaves of a wave, over a closed box; of the cpml the difference from constant density, the rise",
      "as above, for 1.2 and 2700 from cube to cube of four nodes, and what 10 points reflect at side",
      "and corner, a step of rho across them, over what they do where rho is constant"};
  const std::vector<double> spacings{16, 12, 10, 8};
  std::vector<double> errors;
  errors.reserve(spacings.size());
  for (const double h : spacings) errors.push_back(operator_error(h));
  const std::vector<double> there = trace_between({6, 7, 5}, {17, 15, 16});
  const std::vector<double> back = trace_between({17, 15, 16}, {6, 7, 5});
  const double in_closed_box = left(Edge::closed);
  report.figures = {
      at_least("slope", slope(spacings, errors), 7.2, "order"),
      at_most("constant_density", difference_from_constant<double>(), 1e-13),
      at_most("constant_density_float32", difference_from_constant<float>(), 2e-6),
      at_most("there_and_back", relative_l2(back, there), 1e-12),
      at_most("rise_1000_2700", rise(light), 100),
      at_most("rise_1.2_2700", rise(air), 100),
      at_most("reflection_1000_2700", reflection_error(light, heavy), 0.02),
      at_most("reflection_2700_1000", reflection_error(heavy, light), 0.02),
      at_most("left_by_the_pml", left(Edge::pml) / in_closed_box, 1e-2),
      at_most("left_by_the_sponge", left(Edge::sponge) / in_closed_box, 0.05),
      at_most("constant_density_cpml", cpml_difference_from_constant(Precision::float64), 1e-13),
      at_most("constant_density_cpml_float32", cpml_difference_from_constant(Precision::float32), 5e-6),
      at_most("rise_cpml_1000_2700", rise_in_cpml(light, 1), 100),
      at_most("rise_cpml_1.2_2700", rise_in_cpml(air, 4), 100),
      at_most("reflection_cpml_1000_2700", cpml_reflection(heavy) - cpml_reflection({}), 1, "dB")};
  report.pictures = {draw_convergence("Order of div(1/rho grad p), float64", "h (m)", spacings, errors, 8)};
  for (Figure& figure : report.figures) figure.kernel = kernel_of_case;
  return report;
}

}  // namespace

CaseBody body() {
  return {"variable density, float64: order, symmetry, stability, reflection", run};
}

}  // namespace minimod::density_case
