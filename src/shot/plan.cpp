#include "src/shot/plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/plausibility.hpp"
#include "src/base/error.hpp"
#include "src/shot/provenance.hpp"
#include "src/solver/dispersion.hpp"
#include "src/solver/schedule.hpp"
#include "src/solver/time_step.hpp"

namespace minimod {

namespace {

constexpr int default_pml_width = 27;
constexpr int default_edge = 200;
constexpr double default_spacing = 20;
constexpr int default_steps = 1000;
constexpr int most_steps = 100'000'000;  // the samples of the wavelet then take 0.8 GB
constexpr std::int64_t receiver_memory = std::int64_t{4} << 30;  // bytes of positions, far above any survey

void refuse_contradictions(const ShotOptions& o, const VelocityModel& model) {
  if (o.time.steps && o.time.tmax)
    throw Error(ExitCode::usage, "--steps and --tmax are both given", "give one of them");
  if (model.from_file && o.grid.grid) {
    throw Error(ExitCode::usage, "--grid is given with a model file, which sets the extents",
                "use --crop, --decimate, --extrude or --spacing to cut it to size");
  }
  if (o.acquisition.coordinates == CoordinateKind::file && !model.from_file) {
    throw Error(ExitCode::usage, "--coordinates file is given with a model that is no file", "leave it out");
  }
  if (o.grid.extrude && !(model.from_file && model.n.y == 1)) {
    throw Error(ExitCode::usage, "--extrude is given, but the model is not a 2-D section", "leave it out");
  }
}

/// Beyond this the index of a point does not fit 64 bits, let alone any memory.
Grid make_checked_grid(Extent3 n, Point3 spacing, const RunPlan& plan, const BoundaryOptions& o) {
  if (static_cast<double>(n.x) * n.y * n.z > 1e15) {
    throw Error(ExitCode::resource, text("a grid of ", n.x, " x ", n.y, " x ", n.z, " points fits no memory"),
                "take a smaller --grid or a larger --spacing");
  }
  return make_grid(n, spacing, make_boundary_spec(o.kind, plan.pml_width, o.free_surface, 0, 0));
}

int least_axis(Extent3 n) {
  return std::min({n.x, n.y, n.z});
}

/// The extents of the inner box of a model file and the width of the PML around it.
void size_from_file(RunPlan& plan, const ShotOptions& o, const VelocityModel& model, Point3 spacing) {
  const Extent3 one_plane = inner_extent(model, spacing, 1);
  const bool section = model.n.y == 1;
  const int narrow = section ? std::min(one_plane.x, one_plane.z) : least_axis(one_plane);
  plan.pml_width = o.boundary.width.value_or(std::min(default_pml_width, narrow));
  const Extent3 inner = inner_extent(model, spacing, o.grid.extrude.value_or(2 * plan.pml_width + 1));
  const int around = 2 * plan.pml_width, along_z = o.boundary.free_surface ? plan.pml_width : around;
  plan.grid =
      make_checked_grid({inner.x + around, inner.y + around, inner.z + along_z}, spacing, plan, o.boundary);
}

void size_from_options(RunPlan& plan, const ShotOptions& o, Point3 spacing) {
  const Extent3 n = o.grid.grid.value_or(Extent3{default_edge, default_edge, default_edge});
  plan.pml_width =
      o.boundary.width.value_or(std::min(default_pml_width, widest_layer(n, o.boundary.free_surface)));
  plan.grid = make_checked_grid(n, spacing, plan, o.boundary);
}

int count_steps(const TimeOptions& o, double dt) {
  const double steps = o.tmax ? std::ceil(*o.tmax / dt * (1 - 1e-9)) : o.steps.value_or(default_steps);
  if (steps > most_steps) {
    throw Error(ExitCode::usage, text(steps, " steps of ", dt, " s are asked for, over ", most_steps),
                "take a smaller --steps or --tmax");
  }
  return std::max(1, static_cast<int>(steps));
}

/// The steps that are measured or profiled must be steps of the run.
void check_measured_steps(const TimeOptions& o, int steps) {
  if (o.warmup.value_or(0) >= steps) {
    throw Error(ExitCode::usage, text("--warmup ", *o.warmup, " leaves none of ", steps, " steps"),
                text("give at most ", steps - 1));
  }
  if (o.profile_range && o.profile_range->end > steps) {
    throw Error(ExitCode::usage, text("--profile-range ends at step ", o.profile_range->end, " of ", steps),
                "give steps of the run");
  }
}

/// Δt, steps and the sampling of the gather. An automatic Δt is lowered to divide --record-dt.
void plan_time(RunPlan& plan, const TimeOptions& o) {
  plan.dt_limit = stable_dt_limit(plan.medium.v_max(), plan.grid.spacing);
  plan.dt = o.dt.value_or(default_dt_fraction * plan.dt_limit);
  if (plan.dt > plan.dt_limit) {
    throw Error(ExitCode::data,
                text("the time step of ", plan.dt, " s is over the stability limit of ", plan.dt_limit,
                     " s at ", plan.medium.v_max(), " m/s"),
                "take a smaller --dt or --dt auto");
  }
  if (o.record_dt) {
    if (!o.dt) plan.dt = *o.record_dt / std::ceil(*o.record_dt / plan.dt);
    const double ratio = *o.record_dt / plan.dt;
    plan.record_every = static_cast<int>(std::min(std::round(ratio), 1e9));
    if (plan.record_every < 1 || std::abs(ratio - plan.record_every) > 1e-6 * ratio) {
      throw Error(ExitCode::usage,
                  text("--record-dt ", *o.record_dt, " s is no multiple of the time step of ", plan.dt, " s"),
                  text("give ", plan.dt * std::max(plan.record_every, 1), " s, or leave out --dt"));
    }
  }
  plan.steps = count_steps(o, plan.dt);
  plan.warmup = o.warmup.value_or(0);
  check_measured_steps(o, plan.steps);
}

void plan_wavelet(RunPlan& plan, const AcquisitionOptions& o) {
  plan.wavelet = make_wavelet(o.wavelet, plan.dt, plan.steps);
  plan.notes = plan.wavelet.notes;
  const double f_max = plan.wavelet.max_frequency;
  plan.peak_frequency = plan.wavelet.peak_frequency > 0 ? plan.wavelet.peak_frequency : f_max / 2.5;
  plan.points_per_wavelength = points_per_wavelength(plan.medium.v_min(), plan.grid.spacing, f_max);
  if (plan.points_per_wavelength < least_points_per_wavelength && !o.allow_dispersion) {
    throw Error(ExitCode::data,
                text(plan.points_per_wavelength, " points per wavelength at f_max = ", f_max, " Hz and ",
                     plan.medium.v_min(), " m/s, under ", least_points_per_wavelength),
                "take a lower frequency, a finer --spacing or --allow-dispersion");
  }
  if (plan.points_per_wavelength > most_plausible_points) {
    plan.notes.push_back(text(plan.points_per_wavelength, " points per wavelength at f_max = ", f_max,
                              " Hz: the frequency, the spacing of ", plan.grid.spacing.x,
                              " m or the velocities may have another unit than they are read in"));
  }
}

/// After the wavelet, whose frequency a CPML is tuned to.
void plan_boundary(RunPlan& plan, const BoundaryOptions& o) {
  const double velocity = o.velocity.value_or(plan.medium.v_max());
  BoundarySpec spec =
      make_boundary_spec(o.kind, plan.pml_width, o.free_surface, velocity, plan.peak_frequency);
  spec.alpha = o.alpha;
  plan.boundary = make_boundary(spec, plan.grid.n, plan.grid.spacing, plan.dt);
  check_damping(plan.boundary);
}

/// A line along x through the whole model, at the y of the source and z = 0, or a node below a free surface.
std::vector<Point3> default_receivers(const RunPlan& plan, Point3 source) {
  std::vector<Point3> line;
  const int count = plan.model_box.extent().x;
  const double depth = plan.boundary.spec.free_surface ? plan.grid.spacing.z : 0;
  line.reserve(count);
  for (int i = 0; i < count; ++i) line.push_back({i * plan.grid.spacing.x, source.y, depth});
  return line;
}

int count_on_surface(const RunPlan& plan) {
  if (!plan.boundary.spec.free_surface) return 0;
  int count = 0;
  for (std::size_t i = 0; i < plan.survey.receivers.size(); ++i) {
    const Point3 position = plan.position_of(plan.survey.receivers[i], plan.nodes.receivers[i]);
    count += position.z <= 0 ? 1 : 0;
  }
  return count;
}

/// Without an option for it, sinc where a position is so far off its node that it shows, unless --schedule
/// feeds nodes only.
Interpolation interpolation_of(const RunPlan& plan, const ShotOptions& o, const Moves& moves) {
  constexpr double share_that_shows = 0.01;  // a hundredth of a spacing late
  if (o.acquisition.interpolation) return *o.acquisition.interpolation;
  if (moves.share < share_that_shows) return Interpolation::nearest;
  StepProblem problem = plan.problem();
  problem.between_nodes = true;
  const Schedule* const schedule = o.kernels.schedule;
  return schedule != nullptr && !schedule->why_not(problem).empty() ? Interpolation::nearest
                                                                    : Interpolation::sinc;
}

void note_moves(RunPlan& plan) {
  constexpr double share_of_note = 0.1;
  if (plan.moves.share <= share_of_note) return;
  plan.notes.push_back(text("positions are moved to their nearest nodes, by up to ",
                            std::max(plan.moves.source, plan.moves.receivers), " m, ", plan.moves.share,
                            " of a spacing: --interpolation sinc takes them where they are"));
}

/// A position as it was given, in the model's coordinates.
Point3 in_model(const RunPlan& plan, const AcquisitionOptions& o, Point3 given) {
  return o.coordinates == CoordinateKind::file ? plan.file_coordinates().to_model(given) : given;
}

void plan_survey(RunPlan& plan, const ShotOptions& options) {
  const AcquisitionOptions& o = options.acquisition;
  const Box3& inner = plan.model_box;
  const Extent3 n = inner.extent();
  const Point3 centre = node_position({n.x / 2, n.y / 2, n.z / 2}, plan.grid.spacing, {});
  plan.survey.source = o.source ? in_model(plan, o, *o.source) : centre;
  plan.default_line = o.receivers.empty();
  if (plan.default_line) {
    plan.survey.receivers = default_receivers(plan, plan.survey.source);
  } else {
    ReceiverList list = parse_receivers(o.receivers, receiver_memory);
    plan.survey.receivers = std::move(list.positions);
    for (Point3& receiver : plan.survey.receivers) receiver = in_model(plan, o, receiver);
    if (!list.note.empty()) plan.notes.push_back(list.note);
  }
  const Moves moves = moves_to_nodes(plan.survey, plan.grid.spacing);
  plan.interpolation = interpolation_of(plan, options, moves);
  plan.nodes = place(plan.survey, plan.grid.spacing, inner, plan.interpolation);
  const bool at_node = plan.interpolation == Interpolation::nearest;
  if (at_node) plan.moves = moves;
  note_moves(plan);
  const double depth = at_node ? plan.nodes.source.z - inner.begin.z : plan.survey.source.z;
  plan.receivers_on_surface = count_on_surface(plan);
  if (plan.boundary.spec.free_surface && depth <= 0) {
    throw Error(ExitCode::data, text("the source at z = ", plan.survey.source.z, " m is on the free surface"),
                "u is 0 there: move it down");
  }
}

}  // namespace

int widest_layer(Extent3 n, bool free_surface) {
  return std::min({n.x / 3, n.y / 3, n.z / (free_surface ? 2 : 3)});
}

void check_extents(Extent3 n, int pml_width, const BoundaryOptions& boundary) {
  const int least = least_axis(n), needed = 2 * stencil_radius + 1;
  if (least < needed) {
    throw Error(ExitCode::usage,
                text("the grid is ", n.x, " x ", n.y, " x ", n.z, " points, an axis of ", least),
                text("the stencil needs at least ", needed, " along each axis"));
  }
  if (const int thinnest = least_width(boundary.kind); pml_width > 0 && pml_width < thinnest) {
    throw Error(ExitCode::data,
                text("a ", boundary_name(boundary.kind), " of ", pml_width,
                     pml_width == 1 ? " point" : " points", " grows where the medium changes"),
                text("take --pml-width ", thinnest, " or more, or 0 for none"));
  }
  if (const int widest = widest_layer(n, boundary.free_surface); pml_width > widest) {
    throw Error(ExitCode::data,
                text("a layer of ", pml_width, " points is over a third of an axis of ", n.x, " x ", n.y,
                     " x ", n.z, " points", boundary.free_surface ? " (half of z under a free surface)" : ""),
                text("take --pml-width ", widest, " or less, or a larger grid"));
  }
}

void check_boundary_options(const BoundaryOptions& boundary, const KernelOptions& kernels) {
  if (boundary.kind == BoundaryKind::pml) return;
  const auto refuse = [&](const std::string& option, const char* why) {
    throw Error(ExitCode::usage,
                text(option, " is given with --boundary ", boundary_name(boundary.kind), ", ", why),
                "leave it out, or take --boundary pml");
  };
  if (kernels.decomposition != Decomposition::seven) {
    refuse("--decomposition " + decomposition_name(kernels.decomposition),
           "which has no regions to decompose");
  }
  if (!kernels.pml_kernel.empty()) refuse("--pml-kernel", "which has no PML kernels");
  if (boundary.alpha) refuse("--pml-alpha", "which has no such shift");
  if (boundary.velocity && boundary.kind == BoundaryKind::sponge) {
    refuse("--pml-velocity", "whose taper knows no velocity");
  }
}

double RunPlan::greatest_offset() const {
  double greatest = 0;
  const Point3 s = position_of(survey.source, nodes.source);
  for (std::size_t i = 0; i < survey.receivers.size(); ++i) {
    const Point3 r = position_of(survey.receivers[i], nodes.receivers[i]);
    greatest = std::max(greatest, std::hypot(r.x - s.x, r.y - s.y, r.z - s.z));
  }
  return greatest;
}

double RunPlan::predicted_phase_error() const {
  return minimod::predicted_phase_error(greatest_offset(), peak_frequency, medium.v_min(), grid.spacing, dt);
}

std::optional<Reflection> RunPlan::reflection() const {
  return measured_reflection(boundary.spec.kind, pml_width);
}

std::string RunPlan::other_than_measured() const {
  constexpr double near = 1.2;
  const auto is_near = [](double a, double b) { return a < near * b && b < near * a; };
  const ReflectionConditions& at = reflection_conditions;
  const double velocity = boundary.spec.velocity, wavelength = medium.v_min() / peak_frequency;
  const Point3 h = grid.spacing;
  const auto [least, greatest] = std::minmax({h.x, h.y, h.z});
  std::string other;
  const auto add = [&](const std::string& what) { other += (other.empty() ? "" : ", ") + what; };
  if (!is_near(medium.v_min(), medium.v_max())) {
    add("a medium that changes");
  } else if (boundary.spec.kind != BoundaryKind::sponge && !is_near(velocity, medium.v_max())) {
    add(text("a layer made for ", velocity, " m/s"));
  }
  if (const double points = wavelength / greatest; !is_near(points, at.points_per_wavelength())) {
    add(text(points, " points per wavelength instead of ", at.points_per_wavelength()));
  }
  if (const double fraction = dt / dt_limit; !is_near(fraction, at.dt_fraction)) {
    add(text("dt ", fraction, " of the limit instead of ", at.dt_fraction));
  }
  if (!is_near(least, greatest)) add("spacings that differ");
  if (boundary.spec.alpha) add("--pml-alpha");
  return other;
}

NodeWeights RunPlan::place_of(Point3 p) const {
  const Point3 h = grid.spacing;
  const Index3 first = model_box.begin;
  return sinc_weights({first.x + p.x / h.x, first.y + p.y / h.y, first.z + p.z / h.z}, grid.n, interpolation,
                      boundary.spec.free_surface);
}

Point3 RunPlan::position_of(Point3 wanted, Index3 node) const {
  return interpolation == Interpolation::nearest ? node_position(node, grid.spacing, model_box.begin)
                                                 : wanted;
}

FileCoordinates RunPlan::file_coordinates() const {
  FileCoordinates place = medium.model().cut.coordinates;
  const int middle = medium.model().n.y == 1 ? model_box.extent().y / 2 : 0;
  place.origin = place.to_file({0, -middle * grid.spacing.y, 0});
  return place;
}

RunPlan make_plan(const ShotOptions& options) {
  check_boundary_options(options.boundary, options.kernels);
  RunPlan plan;
  plan.command_line = options.command_line;
  plan.date = utc_now();
  ModelSpec spec = options.model;
  if (spec.source.empty()) spec.source = "constant:2000";
  VelocityModel model = load_model(spec);
  refuse_contradictions(options, model);

  if (model.from_file) {
    size_from_file(plan, options, model, options.grid.spacing.value_or(model.spacing));
  } else {
    const Point3 cube{default_spacing, default_spacing, default_spacing};
    size_from_options(plan, options, options.grid.spacing.value_or(cube));
  }
  require_plausible_spacing(plan.grid.spacing, "the spacing of the run", "correct --spacing");
  check_extents(plan.grid.n, plan.pml_width, options.boundary);
  plan.model_box =
      make_boundary_spec(options.boundary.kind, plan.pml_width, options.boundary.free_surface, 0, 0)
          .inner_box(plan.grid.n);
  plan.medium = SampledMedium(std::move(model), plan.grid.n, plan.model_box, plan.grid.spacing);
  require_plausible(spec, plan.medium);
  plan.decomposition = options.kernels.decomposition;

  plan_time(plan, options.time);
  plan_wavelet(plan, options.acquisition);
  plan_boundary(plan, options.boundary);
  plan_survey(plan, options);
  return plan;
}

}  // namespace minimod
