#include "src/job/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/equation_names.hpp"
#include "models/plausibility.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/outputs/provenance.hpp"
#include "src/job/plan/arrivals.hpp"
#include "src/job/plan/equation_options.hpp"
#include "src/job/plan/expected_echo.hpp"
#include "src/job/plan/layer_choice.hpp"
#include "src/job/plan/placing.hpp"
#include "src/job/plan/recording.hpp"
#include "src/solver/numerics/dispersion.hpp"
#include "src/solver/numerics/time_step.hpp"

namespace minimod {

namespace {

constexpr int most_steps = 100'000'000;  // the samples of the wavelet then take 0.8 GB

void refuse_contradictions(const ShotOptions& o, const VelocityModel& model) {
  if (o.time.steps && o.time.tmax) {
    throw Error(ErrorKind::parameter, text(option("steps"), " and ", option("tmax"), " are both given"),
                "give one of them");
  }
  if (model.from_file && o.grid.grid) {
    throw Error(ErrorKind::parameter, option("grid") + " is given with a model file, which sets the extents",
                text("use ", option("crop"), ", ", option("decimate"), ", ", option("extrude"), " or ",
                     option("spacing"), " to cut it to size"));
  }
  if (o.acquisition.coordinates == CoordinateKind::file && !model.from_file) {
    throw Error(ErrorKind::parameter, option("coordinates") + " file is given with a model that is no file",
                "leave it out");
  }
  if (o.grid.extrude && !(model.from_file && model.n.y == 1)) {
    throw Error(ErrorKind::parameter, option("extrude") + " is given, but the model is not a 2-D section",
                "leave it out");
  }
}

/// The inner box of a model file with a layer around it.
LayeredBox box_of_file(const ShotOptions& o, const VelocityModel& model, int usual_width) {
  const Point3 spacing = o.grid.spacing.value_or(model.spacing);
  const Extent3 one_plane = inner_extent(model, spacing, 1);
  const bool section = model.n.y == 1;
  const int narrow =
      section ? std::min(one_plane.x, one_plane.z) : std::min({one_plane.x, one_plane.y, one_plane.z});
  const int width = o.boundary.width.value_or(std::min(usual_width, narrow));
  const Extent3 inner = inner_extent(model, spacing, o.grid.extrude.value_or(2 * width + 1));
  const int around = 2 * width, along_z = o.boundary.free_surface ? width : around;
  return {{inner.x + around, inner.y + around, inner.z + along_z}, spacing, width};
}

/// Beyond the limit the index of a point does not fit 64 bits, let alone any memory.
StepProblem plan_domain(const ShotOptions& o, const VelocityModel& model, const LayerChoice& layer) {
  const LayeredBox box = model.from_file ? box_of_file(o, model, layer.usual_width)
                                         : box_of_options(o.grid, o.boundary, layer.usual_width);
  const Extent3 n = box.n;
  if (static_cast<double>(n.x) * n.y * n.z > 1e15) {
    throw Error(ErrorKind::resource,
                text("a grid of ", n.x, " x ", n.y, " x ", n.z, " points fits no memory"),
                text("take a smaller ", option("grid"), " or a larger ", option("spacing")));
  }
  const StarWeights usual = is_papers_case(o) ? StarWeights::taylor : StarWeights::minimax;
  return make_domain(box, layer.kind, o.boundary.free_surface, o.grid.weights.value_or(usual), o.kernels);
}

int count_steps(const TimeOptions& o, double dt, double first) {
  const double steps =
      o.tmax ? std::ceil((*o.tmax - first) / dt * (1 - 1e-9)) : o.steps.value_or(papers_case::steps);
  if (steps > most_steps) {
    throw Error(ErrorKind::parameter, text(steps, " steps of ", dt, " s are asked for, over ", most_steps),
                text("take a smaller ", option("steps"), " or ", option("tmax")));
  }
  return std::max(1, static_cast<int>(steps));
}

/// The steps that are measured or profiled must be steps of the run.
void check_measured_steps(const TimeOptions& o, int steps) {
  if (o.warmup.value_or(0) >= steps) {
    throw Error(ErrorKind::parameter,
                text(option("warmup"), " ", *o.warmup, " leaves none of ", steps, " steps"),
                text("give at most ", steps - 1));
  }
  if (o.profile_range && o.profile_range->end > steps) {
    throw Error(ErrorKind::parameter,
                text(option("profile-range"), " ends at step ", o.profile_range->end, " of ", steps),
                "give steps of the run");
  }
}

/// The Δt that is taken where none is given, by the model's own velocities: it leaves room for what the nodes
/// beside an interface have above them (models/band_limit.hpp). Without --record-dt one that the gather's
/// formats can say.
double automatic_dt(RunPlan& plan, const TimeOptions& o, const GatherFormats& formats) {
  const double limit =
      plan.problem.domain.equation == Equation::wave
          ? stable_dt_limit(plan.medium->v_max(), plan.grid().spacing, plan.grid().difference())
          : plan.dt_limit;
  const double stable = default_dt_fraction * limit;
  double dt = stable;
  for (const GatherFormat* format : formats) {
    if (o.record_dt) break;
    const double longest = format->limits.time_step(dt);
    if (longest < dt) {
      plan.notes.push_back(text("for ", format->title, " the time step is ", format->limits.steps_are, ": ",
                                longest * 1e6, " us, not ", dt * 1e6, " us"));
    }
    dt = longest;
  }
  return dt;
}

/// Of an equation with columns, whose model knows depths alone.
double limit_by_depth(const RunPlan& plan) {
  const Grid column = make_grid({1, 1, plan.grid().n.z}, plan.grid().spacing, 0, plan.grid().difference());
  std::vector<float> plane(std::size_t(plan.grid().n.x) * plan.grid().n.y);
  std::vector<double> velocities;
  for (int z = 0; z < plan.grid().n.z; ++z) {
    plan.medium->sample_plane(z, plane);
    velocities.push_back(plane.front());
  }
  return facts_of(plan.problem.domain.equation).dt_limit(column, plan.columns(), [&](Index3 p) {
    return velocities[p.z];
  });
}

/// Δt and the sampling of the gather.
void plan_time(RunPlan& plan, const TimeOptions& o, const GatherFormats& formats) {
  plan.dt_limit =
      plan.problem.domain.equation == Equation::wave
          ? stable_dt_limit(plan.medium->v_highest(), plan.grid().spacing, plan.grid().difference())
          : limit_by_depth(plan);
  plan.problem.dt = o.dt ? *o.dt : automatic_dt(plan, o, formats);
  if (plan.problem.dt > plan.dt_limit) {
    throw Error(ErrorKind::data,
                text("the time step of ", plan.problem.dt, " s is over the stability limit of ",
                     plan.dt_limit, " s at ", plan.medium->v_highest(), " m/s"),
                text("take a smaller ", option("dt"), " or ", option("dt"), " auto"));
  }
  plan_recording(plan, o);
}

/// Corners of the least box that holds all.
std::vector<Point3> corners_around(const std::vector<Point3>& points) {
  Point3 least = points.front(), greatest = least;
  for (const Point3& p : points) {
    least = {std::min(least.x, p.x), std::min(least.y, p.y), std::min(least.z, p.z)};
    greatest = {std::max(greatest.x, p.x), std::max(greatest.y, p.y), std::max(greatest.z, p.z)};
  }
  std::vector<Point3> corners;
  for (const double x : {least.x, greatest.x}) {
    for (const double y : {least.y, greatest.y}) {
      for (const double z : {least.z, greatest.z}) corners.push_back({x, y, z});
    }
  }
  return corners;
}

std::vector<double> multiplied(std::vector<double> samples, double factor) {
  for (double& s : samples) s *= factor;
  return samples;
}

}  // namespace

std::vector<double> PlannedSource::samples() const {
  return multiplied(wavelet->samples, amplitude);
}

Point3 extent_of(const RunPlan& plan) {
  const Extent3 n = plan.model_box.extent();
  return node_position({n.x, n.y, n.z}, plan.grid().spacing, {});
}

std::function<std::vector<double>(std::size_t)> RunPlan::feed() const {
  const double part = 1 / shot.scale;
  if (injection) {
    return [all = injection, at = times(), part](std::size_t i) { return multiplied(all->fed(i, at), part); };
  }
  return [of = shot.sources, part](std::size_t i) {
    return multiplied(of[i].wavelet->fed, of[i].amplitude * part);
  };
}

std::vector<double> RunPlan::samples_of(std::size_t i) const {
  return injection ? injection->samples(i, times()) : shot.sources[i].samples();
}

int Shot::signal_end() const {
  int end = 0;
  for (const PlannedSource& source : sources) end = std::max(end, source.wavelet->end());
  return end;
}

double RunPlan::greatest_offset() const {
  constexpr std::size_t most_pairs = 10'000'000;
  std::vector<Point3> from(shot.sources.size()), to(shot.receivers.size());
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = source_position(k);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = receiver_position(i);
  if (from.size() > most_pairs / to.size()) {  // the corners of the boxes around them are farther apart
    from = corners_around(from);
    to = corners_around(to);
  }
  double greatest = 0;
  for (const Point3& s : from) {
    for (const Point3& r : to) greatest = std::max(greatest, std::hypot(r.x - s.x, r.y - s.y, r.z - s.z));
  }
  return greatest;
}

MediumColumns RunPlan::columns() const {
  std::vector<std::vector<double>> values(medium->columns());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (int z = 0; z < grid().n.z; ++z) values[i].push_back(medium->column(i, z));
  }
  return {{1, 1, grid().n.z}, [values](std::size_t column, Index3 p) { return values[column][p.z]; }};
}

MediumPlanes RunPlan::planes() const {
  const std::size_t points = std::size_t(grid().n.x) * grid().n.y;
  return {columns(),
          [of = medium, points](int z, float* plane) {
            of->sample_plane(z, {plane, points});
          },
          [of = medium](int z) { return of->repeats(z); }};
}

namespace {

/// A factor of the columns at every depth; 1 of an equation without.
std::vector<double> factors_by_depth(const RunPlan& plan, double (*factor)(std::span<const double>)) {
  if (factor == nullptr) return {1};
  const MediumColumns columns = plan.columns();
  std::vector<double> factors(columns.n.z);
  for (int z = 0; z < columns.n.z; ++z) {
    factors[z] = factor(values_at(columns, plan.medium->columns(), {0, 0, z}));
  }
  return factors;
}

}  // namespace

double RunPlan::fastest() const {
  return medium->v_max() *
         std::ranges::max(factors_by_depth(*this, facts_of(problem.domain.equation).fastest));
}

double RunPlan::slowest() const {
  return medium->v_min() *
         std::ranges::min(factors_by_depth(*this, facts_of(problem.domain.equation).slowest));
}

double RunPlan::predicted_phase_error() const {
  const double step = dispersion == TimeDispersion::corrected ? 0 : problem.dt;
  return minimod::predicted_phase_error(greatest_offset(), peak_frequency, slowest(), grid().spacing, step,
                                        grid().difference());
}

std::optional<double> RunPlan::kept_of_reflection() const {
  const double h = medium->band_spacing();
  if (h == 0) return {};
  return minimod::kept_of_reflection(
      minimod::points_per_wavelength(medium->v_min(), {h, h, h}, max_frequency));
}

std::optional<Reflection> RunPlan::reflection() const {
  return measured_reflection(problem.domain.boundary.kind, problem.layer_width());
}

std::string RunPlan::other_than_measured() const {
  constexpr double near = 1.2;
  const auto is_near = [](double a, double b) { return a < near * b && b < near * a; };
  const BoundarySpec& layer = problem.domain.boundary;
  const ReflectionConditions& at = reflection_conditions;
  const double velocity = layer.velocity, wavelength = medium->v_min() / peak_frequency;
  const Point3 h = grid().spacing;
  const auto [least, greatest] = std::minmax({h.x, h.y, h.z});
  std::string other;
  if (problem.domain.equation != Equation::wave)
    other = text("the equation ", equation_name(problem.domain.equation));
  const auto add = [&](const std::string& what) { other += (other.empty() ? "" : ", ") + what; };
  if (!is_near(medium->v_min(), medium->v_max())) {
    add("a medium that changes");
  } else if (facts_of(layer.kind).knows_velocity && !is_near(velocity, medium->v_max())) {
    add(text("a layer made for ", velocity, " m/s"));
  }
  if (const double points = wavelength / greatest; !is_near(points, at.points_per_wavelength())) {
    add(text(points, " points per wavelength instead of ", at.points_per_wavelength()));
  }
  if (const double fraction = problem.dt / dt_limit; !is_near(fraction, at.dt_fraction)) {
    add(text("dt ", fraction, " of the limit instead of ", at.dt_fraction));
  }
  if (!is_near(least, greatest)) add("spacings that differ");
  if (grid().radius != stencil_radius)
    add(text("order ", 2 * grid().radius, " instead of ", 2 * stencil_radius));
  if (layer.alpha) add(option("pml-alpha"));
  return other;
}

NodeWeights RunPlan::place_of(Point3 p) const {
  const Point3 h = grid().spacing;
  const Index3 first = model_box.begin;
  return sinc_weights({first.x + p.x / h.x, first.y + p.y / h.y, first.z + p.z / h.z}, grid().n,
                      interpolation, problem.domain.boundary.free_surface);
}

NodeWeights RunPlan::place_of(const PlannedSource& source) const {
  return interpolation == Interpolation::nearest ? at_node(source.node) : place_of(source.position);
}

Point3 RunPlan::position_of(Point3 wanted, Index3 node) const {
  return interpolation == Interpolation::nearest ? node_position(node, grid().spacing, model_box.begin)
                                                 : wanted;
}

Point3 RunPlan::source_position(std::size_t i) const {
  return position_of(shot.sources[i].position, shot.sources[i].node);
}

Point3 RunPlan::receiver_position(std::size_t i) const {
  return position_of(shot.receivers[i], shot.receiver_nodes[i]);
}

FileCoordinates RunPlan::file_coordinates() const {
  FileCoordinates place = medium->model().cut.coordinates;
  const int middle = medium->model().n.y == 1 ? model_box.extent().y / 2 : 0;
  place.origin = place.to_file({0, -middle * grid().spacing.y, 0});
  return place;
}

void plan_steps(RunPlan& plan, const ShotOptions& options) {
  const TimeOptions& o = options.time;
  plan.steps = count_steps(o, plan.problem.dt, plan.first_time);
  plan.warmup = o.warmup.value_or(0);
  check_measured_steps(o, plan.steps);
  require_recorded_steps(plan, o);
  for (const GatherFormat* format : formats_of(options.output))
    format->limits.require_sampling(plan.problem.dt * plan.record_every, plan.samples());
  plan.snapshots = make_snapshot_plan(options.snapshots, plan.grid(), plan.model_box, plan.times());
}

RunPlan make_shared_plan(const ShotOptions& options, int parts) {
  const LayerChoice layer = choose_layer(options);
  check_equation_options(options, layer.kind);
  check_boundary_options(layer.kind, options.boundary, options.kernels);
  check_injection_options(options.acquisition, options.time);
  RunPlan plan;
  plan.layer_rule = layer.rule;
  plan.command_line = options.command_line;
  plan.date = utc_now();
  const Equation equation = options.kernels.equation;
  ModelSpec spec = options.model;
  if (spec.source.empty())
    spec.source = text("constant:", papers_case::velocity, usual_text(facts_of(equation)));
  VelocityModel model = parts == 1 ? load_model(spec) : load_model_without_values(spec);
  refuse_contradictions(options, model);
  check_columns(model, equation);

  plan.problem.domain = plan_domain(options, model, layer);
  require_plausible_spacing(plan.grid().spacing, "the spacing of the run", "correct " + option("spacing"));
  check_extents(plan.problem.domain);
  plan.model_box = plan.problem.domain.boundary.inner_box(plan.grid().n);
  plan.medium = std::make_shared<SampledMedium>(std::move(model), plan.grid().n, plan.model_box,
                                                plan.grid().spacing, parts);
  require_plausible(spec, *plan.medium);

  const GatherFormats formats = formats_of(options.output);
  for (const GatherFormat* format : formats)
    format->limits.require_positions(plan.file_coordinates(), extent_of(plan));
  plan_time(plan, options.time, formats);
  plan.dispersion = options.time.dispersion.value_or(is_papers_case(options) ? TimeDispersion::as_is
                                                                             : TimeDispersion::corrected);
  return plan;
}

RunPlan make_plan(const ShotOptions& options, int parts) {
  RunPlan plan = make_shared_plan(options, parts);
  const std::vector<ShotGeometry> shots = {single_shot(plan, options)};
  plan_shots(plan, options, shots);
  plan.shot = place_shot(plan, shots.front());
  expect_echo(plan, {&shots.front()});
  ArrivalNotes arrivals;
  arrivals.add(plan);
  for (std::string& line : arrivals.lines(1)) plan.notes.push_back(std::move(line));
  return plan;
}

}  // namespace minimod
