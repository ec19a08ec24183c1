#include <algorithm>
#include <utility>

#include "kernels/equation_names.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/job/plan/equation_options.hpp"
#include "src/job/plan/layer_choice.hpp"
#include "src/measure/measurement.hpp"
#include "src/solver/equation_facts.hpp"
#include "src/solver/numerics/time_step.hpp"

namespace minimod {

namespace {

/// Frequency of a layer that is made for a wavelet with five points per wavelength at f_max.
double layer_frequency(const StepProblem& domain) {
  return papers_case::velocity / (5 * 2.5 * domain.grid.spacing.x);
}

double time_step_of(const StepProblem& domain, double greatest_velocity, const MediumColumns& columns) {
  return default_dt_fraction *
         dt_limit_of(domain.equation, greatest_velocity, domain.grid.spacing, domain.grid.radius, columns);
}

/// Refuses options that do not apply to an equation that reads u alone.
void check_yardstick_options(const MeasureOptions& o, BoundaryKind kind) {
  const auto refuse = [&](const std::string& what, const std::string& remedy = "leave it out") {
    throw Error(ErrorKind::parameter,
                text(what, " is given with ", option("equation"), " ", equation_name(o.kernels.equation)),
                text(remedy, ", or take ", option("equation"), " wave"));
  };
  if (o.kernels.kernel == "auto")
    refuse(option("kernel") + " auto", text("name kernels (", command("kernels"), " lists them)"));
  if (kind != BoundaryKind::pml) refuse(option("boundary"));
  if (o.boundary.width.value_or(0) != 0) refuse(option("pml-width") + " above 0");
  if (o.boundary.free_surface) refuse(option("free-surface"));
  if (o.kernels.decomposition != Decomposition::seven) refuse(option("decomposition"));
  if (o.field == BenchField::source)
    refuse(option("field") + " source", "give " + option("field") + " random");
}

}  // namespace

Problem make_measured_problem(const MeasureOptions& o) {
  const BoundaryKind kind = o.boundary.kind.value_or(BoundaryKind::pml);
  const bool is_yardstick = facts_of(o.kernels.equation).reads_u_alone;
  check_boundary_options(kind, o.boundary, o.kernels);
  if (is_yardstick) check_yardstick_options(o, kind);
  check_equation_boundary(o.kernels.equation, kind, o.boundary.free_surface);
  const LayeredBox box = box_of_options(o.grid, o.boundary, is_yardstick ? 0 : papers_case::layer_width);
  StepProblem domain = make_domain(box, kind, o.boundary.free_surface, StarWeights::taylor, o.kernels);
  check_extents(domain);
  domain.boundary.velocity = papers_case::velocity;
  domain.boundary.frequency = layer_frequency(domain);
  const double dt = time_step_of(domain, papers_case::velocity, usual_columns(domain.equation, 1));
  return make_problem(domain, {dt, o.steps.value_or(papers_case::steps)});
}

Problem small_problem(const Problem& setup) {
  constexpr int least_planes = 38, most_steps = 20, width = 7;
  const int planes_of_rank = 6 + setup.grid().radius;
  const Extent3 n{61, 45, std::max(least_planes, planes_of_rank * setup.cut.count())};
  StepProblem domain = setup.domain;
  BoundarySpec& layer = domain.boundary;
  layer = make_boundary_spec(layer.kind, facts_of(domain.equation).reads_u_alone ? 0 : width,
                             layer.free_surface, papers_case::velocity, 0);
  domain.grid = make_grid(n, {20, 16, 12.5}, layer, setup.grid().difference(), setup.grid().precision);
  layer.frequency = layer_frequency(domain);
  const double dt =
      time_step_of(domain, 1.3 * papers_case::velocity, random_columns(domain.equation, domain.grid.n));
  DomainCut cut = setup.cut;
  if (cut.ranks != nullptr) cut.slabs = cut_by_cost(domain, cut.count());
  // A shorter measurement takes its own number of steps.
  return make_problem(domain, {dt, std::min(most_steps, setup.time.steps)}, std::move(cut));
}

}  // namespace minimod
