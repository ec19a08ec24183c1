/// Every code shape against the host's reference, and against itself run again.
#include <functional>

#include "kernels/random_field.hpp"
#include "kernels/registry.hpp"
#include "src/base/error.hpp"
#include "src/measure/measurement.hpp"
#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::kernels_case {

namespace {

constexpr double least = 1400, greatest = 2600, tolerance = 1e-6;
/// Share of the greatest value: a point that is wrong, not rounded otherwise.
constexpr double wrong_by = 1e-5;

/// No extent is a multiple of a tile's.
Domain make_domain(bool on_gpu, const KernelOptions& options) {
  Domain domain{on_gpu ? Extent3{150, 131, 117} : Extent3{37, 19, 23}};
  domain.dt = default_dt_fraction * dt_limit_of(options.equation, greatest, domain.spacing(),
                                                options.radius(), random_columns(options.equation, domain.n));
  domain.velocity_at = [](Index3 p) {
    return (least + greatest) / 2 + (greatest - least) / 2 * random_value(2, p.x, p.y, p.z);
  };
  domain.pml_width = on_gpu ? 27 : 5;
  domain.pml_velocity = greatest;
  return domain;
}

/// Sets the source of a propagator, or of a simulation.
template <class Run>
void set_source(Run& run, const Domain& domain, int steps) {
  const Extent3 n = domain.n;
  run.set_source({n.x / 2, n.y / 2, n.z / 2}, ricker_samples(10, 0.12, domain.dt, steps));
}
template <class Run>
void run_noise(Run& run, int steps) {
  run.set_random_field(1);
  for (int i = 0; i < steps; ++i) run.step();
}

/// The shapes that the device runs; on the host those whose threads it emulates, too.
std::vector<const CodeShape*> shapes_on(const DeviceInfo& device, const KernelOptions& options,
                                        std::vector<LeftOut>& left_out) {
  std::vector<const CodeShape*> shapes;
  for (const CodeShape& built_in : all_shapes()) {
    if (!has_stencil(built_in, options.radius(), options.precision, options.equation)) {
      left_out.push_back({built_in.name, "is made for the wave, of order 8 in single precision"});
      continue;
    }
    const CodeShape& shape = find_shape(built_in.name, options.radius(), options.precision, options.equation);
    const bool emulated = !device.is_gpu() && shape.emulated;
    const std::string reason = emulated ? "" : why_not(shape, device);
    if (reason.empty()) {
      shapes.push_back(&shape);
    } else {
      left_out.push_back({shape.name, reason});
    }
  }
  return shapes;
}

/// The first step after which the shape's field is wrong, and the first wrong point of it.
std::string first_wrong(Simulation shape, const Domain& domain, int steps) {
  const auto host = make_host_backend();
  const CodeShape& reference = find_shape("reference", domain.radius, domain.precision, domain.equation);
  Propagator right = make_propagator(*host, domain, {&reference, &reference});
  set_source(shape, domain, steps);
  set_source(right, domain, steps);
  if (shape.kernels().inner->needs.v16) right.round_velocity_to_codes();
  shape.set_random_field(1);
  right.set_random_field(1);
  const Regions regions = domain.problem().domain.regions();
  for (int step = 1; step <= steps; ++step) {
    shape.step();
    right.step();
    const auto wrong =
        first_wrong_point(shape.wavefield(), right.wavefield(domain.whole()), domain.n, wrong_by);
    if (!wrong) continue;
    const bool is_inner = regions.inner.contains(wrong->at);
    const CodeShape& of = is_inner ? *shape.kernels().inner : *shape.kernels().pml;
    return text(of.name, ", step ", step, ", ", region_of(regions, wrong->at), ", first wrong point ",
                wrong->told());
  }
  return "";
}

/// Runs `start` twice: against the reference, and against each other.
void compare(CaseReport& report, const std::string& name, const std::function<Simulation()>& start,
             ExpectedField& expected, const Domain& domain, int steps) {
  try {
    const auto field_of = [&](Simulation simulation) {
      set_source(simulation, domain, steps);
      run_noise(simulation, steps);
      return simulation.wavefield();
    };
    Simulation simulation = start();
    const auto& right = expected.of(*simulation.kernels().inner);
    const auto field = field_of(std::move(simulation)), again = field_of(start());
    report.figures.push_back(at_most(name, relative_l2(field, right), tolerance));
    if (!report.figures.back().passed()) report.figures.back().why = first_wrong(start(), domain, steps);
    report.figures.push_back(at_most(name + "_again", same_bits(field, again) ? 0 : 1, 0, "runs differ"));
    for (std::size_t i = report.figures.size() - 2; i < report.figures.size(); ++i) {
      report.figures[i].kernel = name;
    }
  } catch (const Error& refusal) {  // the other shapes have their turn
    report.add(name, refusal);
  }
}

CaseReport run(Runner& runner) {
  const Domain domain = runner.adapted(make_domain(runner.on_gpu(), runner.options()));
  // In a field and a medium this rough, sums in another order alone come to 1.0e-6 to 1.4e-6 after 200 steps.
  const int steps = runner.on_gpu() ? 50 : 3;
  CaseReport report;
  report.setup = {
      text(domain.n.x, " x ", domain.n.y, " x ", domain.n.z, " points, PML of ", domain.pml_width,
           ", random fields, V at random between ", least, " and ", greatest, " m/s, a source, ", steps,
           " steps;"),
      "relative L2 against `reference` on the host; _again is 0 when a second run gives the same bits"};
  ExpectedField expected([&](Backend& host, const KernelSet& reference, Medium medium) {
    Propagator propagator = make_propagator(host, domain, reference);
    set_source(propagator, domain, steps);
    if (medium == Medium::rounded_to_codes) propagator.round_velocity_to_codes();
    run_noise(propagator, steps);
    return propagator.wavefield(domain.whole());
  });
  if (runner.names_kernel()) {
    compare(
        report, runner.options().kernel, [&] { return runner.start(domain, steps); }, expected, domain,
        steps);
    return report;
  }
  for (const CodeShape* shape : shapes_on(runner.device(), runner.options(), report.left_out)) {
    compare(
        report, shape->name, [&] { return runner.start(domain, steps, *shape); }, expected, domain, steps);
  }
  return report;
}

}  // namespace

CaseBody body() {
  return {"every code shape against the reference, and run twice to the same bits", run, true, true};
}

}  // namespace minimod::kernels_case
