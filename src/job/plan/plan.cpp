#include "src/job/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "boundary/measured_reflection.hpp"
#include "kernels/equation_names.hpp"
#include "models/plausibility.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/plan/equation_options.hpp"
#include "src/job/plan/time_zero.hpp"
#include "src/solver/numerics/dispersion.hpp"
#include "src/solver/numerics/time_step.hpp"

namespace minimod {

namespace {

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

/// A factor of the columns at every depth; 1 of an equation without.
std::vector<double> factors_by_depth(const SampledMedium& medium, double (*factor)(std::span<const double>)) {
  if (factor == nullptr) return {1};
  const MediumColumns columns = columns_of(medium);
  std::vector<double> factors(columns.n.z);
  for (int z = 0; z < columns.n.z; ++z) {
    factors[z] = factor(values_at(columns, medium.columns(), {0, 0, z}));
  }
  return factors;
}

/// Points per wavelength at f_max where waves are slowest.
double resolved(const Ground& ground, double f_max, bool allow_dispersion, std::vector<std::string>& notes) {
  const Grid& grid = ground.domain.grid;
  const double slowest = slowest_of(*ground.medium, ground.domain.equation);
  const double points = points_per_wavelength(slowest, grid.spacing, f_max);
  const double least = least_points_per_wavelength(grid.radius);
  if (points < least && !allow_dispersion) {
    throw Error(
        ErrorKind::data,
        text(points, " points per wavelength at f_max = ", f_max, " Hz and ", slowest, " m/s, under ", least,
             " for order ", 2 * grid.radius),
        text("take a lower frequency, a finer ", option("spacing"), " or ", option("allow-dispersion")));
  }
  if (points > most_plausible_points) {
    notes.push_back(text(points, " points per wavelength at f_max = ", f_max,
                         " Hz: the frequency, the spacing of ", grid.spacing.x,
                         " m or the velocities may have another unit than they are read in"));
  }
  return points;
}

/// Signals of all shots. The grid must resolve the one with the highest frequencies.
Signals make_signals(const ShotOptions& options, const Ground& ground, const TimeAxis& time,
                     const std::vector<ShotGeometry>& shots, SignaturesOfShots& signatures,
                     std::vector<std::string>& notes) {
  std::map<std::string, std::shared_ptr<const Wavelet>> wavelets;
  const Wavelet* highest = nullptr;
  for (const ShotGeometry& shot : shots) {
    for (const ShotSource& source : shot.sources) {
      auto& wavelet = wavelets[wavelet_name(shot, source, options.time.zero)];
      if (wavelet) continue;
      wavelet = std::make_shared<Wavelet>(make_wavelet(signatures.of(shot, source), time));
      if (highest == nullptr || wavelet->max_frequency > highest->max_frequency) highest = wavelet.get();
    }
  }
  SummedNotes of_wavelets("wavelets");
  for (const auto& [spec, wavelet] : wavelets) {
    for (const Note& note : wavelet->notes) of_wavelets.add(spec, note);
  }
  for (std::string& line : of_wavelets.lines(wavelets.size())) notes.push_back(std::move(line));
  const double f_max = highest->max_frequency;
  const double peak = highest->peak_frequency > 0 ? highest->peak_frequency : f_max / 2.5;
  return {std::move(wavelets), f_max, peak,
          resolved(ground, f_max, options.acquisition.allow_dispersion, notes)};
}

Moves greatest_moves(const std::vector<ShotGeometry>& shots, Point3 spacing) {
  Moves moves;
  for (const ShotGeometry& shot : shots) moves = greatest(moves, moves_to_nodes(shot, spacing));
  return moves;
}

/// Without an option for it, sinc4 where a position is so far off its node that it shows.
Interpolation interpolation_of(const AcquisitionOptions& o, const Moves& moves,
                               std::vector<std::string>& notes) {
  constexpr double share_of_note = 0.1;
  const Interpolation usual = moves.share < share_that_shows ? Interpolation::nearest : Interpolation::sinc4;
  const Interpolation interpolation = o.interpolation.value_or(usual);
  if (interpolation == Interpolation::nearest && moves.share > share_of_note) {
    notes.push_back(text("positions are moved to their nearest nodes, by up to ",
                         std::max(moves.source, moves.receivers), " m, ", moves.share,
                         " of a spacing: ", option("interpolation"), " sinc4 takes them where they are"));
  }
  return interpolation;
}

std::shared_ptr<const VelocityChange> plan_change(const ShotOptions& options, const SampledMedium& medium) {
  if (options.change.source.empty()) return nullptr;
  check_change_options(options);
  return std::make_shared<const VelocityChange>(load_change(options.change, medium));
}

}  // namespace

void check_change_options(const ShotOptions& options) {
  const auto refuse = [](const std::string& what, const std::string& remedy) {
    throw Error(ErrorKind::parameter, text(what, ", which linearised modelling does not have"), remedy);
  };
  if (options.kernels.equation != Equation::wave)
    refuse(text(option("equation"), " is ", equation_name(options.kernels.equation)), "take wave");
}

MediumColumns columns_of(const SampledMedium& medium) {
  const int n = medium.grid().z;
  std::vector<std::vector<double>> values(medium.columns());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (int z = 0; z < n; ++z) values[i].push_back(medium.column(i, z));
  }
  return {{1, 1, n}, [values](std::size_t column, Index3 p) { return values[column][p.z]; }};
}

double fastest_of(const SampledMedium& medium, Equation equation) {
  return medium.v_max() * std::ranges::max(factors_by_depth(medium, facts_of(equation).fastest));
}

double slowest_of(const SampledMedium& medium, Equation equation) {
  return medium.v_min() * std::ranges::min(factors_by_depth(medium, facts_of(equation).slowest));
}

double RunPlan::predicted_phase_error(double offset) const {
  const double step = time().dispersion == TimeDispersion::corrected ? 0 : time().dt;
  return minimod::predicted_phase_error(offset, signals.peak_frequency,
                                        slowest_of(*medium, problem.domain.equation), grid().spacing, step,
                                        grid().difference());
}

std::optional<double> RunPlan::kept_of_reflection() const {
  const double h = medium->band_spacing();
  if (h == 0) return {};
  return minimod::kept_of_reflection(
      minimod::points_per_wavelength(medium->v_min(), {h, h, h}, signals.max_frequency));
}

std::string RunPlan::other_than_measured() const {
  constexpr double near = 1.2;
  const auto is_near = [](double a, double b) { return a < near * b && b < near * a; };
  const BoundarySpec& layer = problem.domain.boundary;
  const ReflectionConditions& at = reflection_conditions;
  const double velocity = layer.velocity, wavelength = medium->v_min() / signals.peak_frequency;
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
  if (const double fraction = time().dt / dt_limit; !is_near(fraction, at.dt_fraction)) {
    add(text("dt ", fraction, " of the limit instead of ", at.dt_fraction));
  }
  if (!is_near(least, greatest)) add("spacings that differ");
  if (grid().radius != stencil_radius)
    add(text("order ", 2 * grid().radius, " instead of ", 2 * stencil_radius));
  if (layer.alpha) add(option("pml-alpha"));
  return other;
}

Ground make_ground(const ShotOptions& options, const LayerChoice& layer, int parts) {
  const Equation equation = options.kernels.equation;
  ModelSpec spec = options.model;
  if (spec.source.empty())
    spec.source = text("constant:", papers_case::velocity, usual_text(facts_of(equation)));
  VelocityModel model = parts == 1 ? load_model(spec) : load_model_without_values(spec);
  refuse_contradictions(options, model);
  check_columns(model, equation);
  const StepProblem domain = plan_domain(options, model, layer);
  const Grid& grid = domain.grid;
  require_plausible_spacing(grid.spacing, "the spacing of the run", "correct " + option("spacing"));
  check_extents(domain);
  const auto medium = std::make_shared<const SampledMedium>(
      std::move(model), grid.n, domain.boundary.inner_box(grid.n), grid.spacing, parts);
  require_plausible(spec, *medium);
  for (const GatherFormat* format : formats_of(options.output))
    format->limits.require_positions(medium->file_coordinates(), medium->extent());
  return {domain, medium};
}

RunPlan make_plan(const ShotOptions& options, const Ground& ground, const TimeStep& step,
                  const Acquisition& acquisition) {
  const std::vector<ShotGeometry>& shots = acquisition.shots;
  const Grid& grid = ground.domain.grid;
  std::vector<std::string> notes = step.notes;
  notes.insert(notes.end(), acquisition.notes.begin(), acquisition.notes.end());
  SignaturesOfShots signatures(options.time.zero, step.dt);
  if (acquisition.injection) signatures.know(injected_words(), acquisition.injection->together());
  if (const auto& given = options.acquisition.given) {
    for (const auto& [name, signature] : given->signatures) signatures.know(name, signature);
  }
  const TimeAxis time = make_time_axis(step, options, signatures.first(shots));
  SnapshotPlan snapshots = make_snapshot_plan(options.snapshots, grid, ground.medium->inner(), time);
  Signals signals = make_signals(options, ground, time, shots, signatures, notes);
  refuse_aliasing(time, step.limit, signals.max_frequency, options.time);
  const Interpolation interpolation =
      interpolation_of(options.acquisition, greatest_moves(shots, grid.spacing), notes);
  StepProblem domain = ground.domain;
  domain.boundary.velocity = options.boundary.velocity.value_or(fastest_of(*ground.medium, domain.equation));
  domain.boundary.frequency = signals.peak_frequency;
  domain.boundary.alpha = options.boundary.alpha;
  domain.between_nodes = interpolation != Interpolation::nearest;
  domain.several_sources =
      std::ranges::any_of(shots, [](const ShotGeometry& shot) { return shot.sources.size() > 1; });
  Problem problem = make_problem(domain, time);
  check_damping(problem.boundary);
  return {.problem = std::move(problem),
          .medium = ground.medium,
          .signals = std::move(signals),
          .injection = acquisition.injection,
          .change = plan_change(options, *ground.medium),
          .interpolation = interpolation,
          .time_zero = options.time.zero,
          .dt_limit = step.limit,
          .midpoints = bins_of(shots, ground.medium->extent(), grid.spacing.x),
          .snapshots = std::move(snapshots),
          .command_line = options.command_line,
          .notes = std::move(notes)};
}

}  // namespace minimod
