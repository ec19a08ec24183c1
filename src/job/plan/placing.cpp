#include "src/job/plan/placing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/plausibility.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/plan/recording.hpp"
#include "src/job/plan/run_scale.hpp"
#include "src/job/plan/time_zero.hpp"
#include "src/solver/numerics/dispersion.hpp"
#include "src/solver/numerics/time_step.hpp"

namespace minimod {

namespace {

/// Of the wavelets that a survey has, the one with the highest frequencies, which the grid must resolve.
const Wavelet& plan_wavelets(RunPlan& plan, const std::vector<ShotGeometry>& shots,
                             SignaturesOfShots& signatures) {
  const Wavelet* highest = nullptr;
  for (const ShotGeometry& shot : shots) {
    for (const ShotSource& source : shot.sources) {
      auto& wavelet = plan.wavelets[wavelet_name(shot, source, plan.time_zero)];
      if (wavelet) continue;
      wavelet = std::make_shared<Wavelet>(make_wavelet(signatures.of(shot, source), plan.times()));
      if (highest == nullptr || wavelet->max_frequency > highest->max_frequency) highest = wavelet.get();
    }
  }
  SummedNotes notes("wavelets");
  for (const auto& [spec, wavelet] : plan.wavelets) {
    for (const Note& note : wavelet->notes) notes.add(spec, note);
  }
  for (std::string& line : notes.lines(plan.wavelets.size())) plan.notes.push_back(std::move(line));
  return *highest;
}

/// Time of the first step, s: so early that no signature is cut off, and such that t = 0 is a sample of the
/// traces, or, in a format whose headers count it in units of which samples are no whole number apart (SEG-Y:
/// ms), a whole number of these before t = 0.
double first_time_of(const RunPlan& plan, const ShotOptions& options, double earliest) {
  const bool may_be_before = plan.time_zero == TimeZero::peak || plan.injection;
  if (!may_be_before || earliest >= 0) return 0;
  constexpr double rounding = 1e-9;
  double unit = plan.problem.dt * plan.record_every;
  for (const GatherFormat* format : formats_of(options.output)) {
    const double counted = format->limits.unit_before_zero, parts = counted > 0 ? unit / counted : 1;
    if (std::abs(parts - std::round(parts)) >= rounding * parts) unit = counted;
  }
  return -std::ceil(-earliest / unit * (1 - rounding)) * unit;
}

/// One for all sources of the shot.
double scale_of(const RunPlan& plan, const Shot& shot) {
  if (plan.injection) return run_scale_of(plan.injection->greatest(), plan.grid().precision);
  double amplitude = 0;
  for (const PlannedSource& source : shot.sources) {
    amplitude = std::max(amplitude, std::abs(source.amplitude) * source.wavelet->amplitude);
  }
  return run_scale_of(amplitude, plan.grid().precision);
}

void plan_resolution(RunPlan& plan, const Wavelet& highest, bool allow_dispersion) {
  const double f_max = plan.max_frequency = highest.max_frequency;
  plan.peak_frequency = highest.peak_frequency > 0 ? highest.peak_frequency : f_max / 2.5;
  plan.points_per_wavelength = points_per_wavelength(plan.slowest(), plan.grid().spacing, f_max);
  const double least = least_points_per_wavelength(plan.grid().radius);
  if (plan.points_per_wavelength < least && !allow_dispersion) {
    throw Error(
        ErrorKind::data,
        text(plan.points_per_wavelength, " points per wavelength at f_max = ", f_max, " Hz and ",
             plan.slowest(), " m/s, under ", least, " for order ", 2 * plan.grid().radius),
        text("take a lower frequency, a finer ", option("spacing"), " or ", option("allow-dispersion")));
  }
  if (plan.points_per_wavelength > most_plausible_points) {
    plan.notes.push_back(text(plan.points_per_wavelength, " points per wavelength at f_max = ", f_max,
                              " Hz: the frequency, the spacing of ", plan.grid().spacing.x,
                              " m or the velocities may have another unit than they are read in"));
  }
}

/// After the wavelets, whose frequency a CPML is tuned to.
void plan_boundary(RunPlan& plan, const BoundaryOptions& o) {
  BoundarySpec& spec = plan.problem.domain.boundary;
  spec.velocity = o.velocity.value_or(plan.fastest());
  spec.frequency = plan.peak_frequency;
  spec.alpha = o.alpha;
  plan.problem = make_problem(plan.problem.domain, plan.problem.dt);
  check_damping(plan.problem.boundary);
}

/// Without an option for it, sinc4 where a position is so far off its node that it shows.
Interpolation interpolation_of(const ShotOptions& o, const Moves& moves) {
  if (o.acquisition.interpolation) return *o.acquisition.interpolation;
  return moves.share < share_that_shows ? Interpolation::nearest : Interpolation::sinc4;
}

void plan_interpolation(RunPlan& plan, const ShotOptions& options, const std::vector<ShotGeometry>& shots) {
  constexpr double share_of_note = 0.1;
  Moves greatest;
  for (const ShotGeometry& shot : shots) {
    const Moves moves = moves_to_nodes(shot, plan.grid().spacing);
    greatest = {std::max(greatest.source, moves.source), std::max(greatest.receivers, moves.receivers),
                std::max(greatest.share, moves.share)};
  }
  plan.interpolation = interpolation_of(options, greatest);
  plan.problem.domain.between_nodes = plan.interpolation != Interpolation::nearest;
  if (plan.interpolation != Interpolation::nearest || greatest.share <= share_of_note) return;
  plan.notes.push_back(text("positions are moved to their nearest nodes, by up to ",
                            std::max(greatest.source, greatest.receivers), " m, ", greatest.share,
                            " of a spacing: ", option("interpolation"), " sinc4 takes them where they are"));
}

int count_on_surface(const RunPlan& plan, const Shot& shot) {
  if (!plan.problem.domain.boundary.free_surface) return 0;
  int count = 0;
  for (std::size_t i = 0; i < shot.receivers.size(); ++i) {
    count += plan.position_of(shot.receivers[i], shot.receiver_nodes[i]).z <= 0 ? 1 : 0;
  }
  return count;
}

/// u is 0 there.
void refuse_sources_on_surface(const RunPlan& plan, const Shot& shot) {
  if (!plan.problem.domain.boundary.free_surface) return;
  const bool at_node = plan.interpolation == Interpolation::nearest;
  for (const PlannedSource& source : shot.sources) {
    const double depth = at_node ? source.node.z - plan.model_box.begin.z : source.position.z;
    if (depth > 0) continue;
    throw Error(ErrorKind::data, text("the source at z = ", source.position.z, " m is on the free surface"),
                "u is 0 there: move it down");
  }
}

/// The traces of a shot have one unit.
void check_units(const Shot& shot) {
  const std::string& first = shot.wavelet().unit;
  for (const PlannedSource& source : shot.sources) {
    if (source.wavelet->unit == first) continue;
    throw Error(ErrorKind::data,
                text("the wavelets of one shot are in '", escaped(first, 40), "' and in '",
                     escaped(source.wavelet->unit, 40), "'"),
                "give those of its sources in one unit");
  }
}

}  // namespace

Point3 in_model(const RunPlan& plan, const AcquisitionOptions& acquisition, Point3 given) {
  return acquisition.coordinates == CoordinateKind::file ? plan.file_coordinates().to_model(given) : given;
}

std::vector<Point3> default_receivers(const RunPlan& plan, const BoundaryOptions& boundary, Point3 source) {
  std::vector<Point3> line;
  const int count = plan.model_box.extent().x;
  const double depth = boundary.free_surface ? plan.grid().spacing.z : 0;
  line.reserve(count);
  for (int i = 0; i < count; ++i) line.push_back({i * plan.grid().spacing.x, source.y, depth});
  return line;
}

/// A source at each receiver of the gather.
std::vector<ShotSource> injected_sources(RunPlan& plan, const AcquisitionOptions& o) {
  plan.injection = std::make_shared<Injection>(o.inject, o.reverse);
  const RecordedTraces& traces = plan.injection->traces();
  std::vector<ShotSource> sources;
  sources.reserve(traces.receivers.size());
  for (const Point3& receiver : traces.receivers) {
    const bool on_map = o.coordinates == CoordinateKind::file;
    sources.push_back(
        {in_model(plan, o, on_map ? traces.place.to_file(receiver) : receiver), injected_words()});
  }
  return sources;
}

ShotGeometry single_shot(RunPlan& plan, const ShotOptions& options) {
  const AcquisitionOptions& o = options.acquisition;
  const Extent3 n = plan.model_box.extent();
  const Point3 centre = node_position({n.x / 2, n.y / 2, n.z / 2}, plan.grid().spacing, {});
  const Point3 source = o.source ? in_model(plan, o, *o.source) : centre;
  ShotGeometry shot{first_shot_number, {{source, o.signature()}}, {}};
  if (!o.inject.empty()) shot.sources = injected_sources(plan, o);
  plan.default_line = o.receivers.empty();
  if (plan.default_line) {
    shot.receivers = default_receivers(plan, options.boundary, shot.sources.front().position);
    return shot;
  }
  ReceiverList list = parse_receivers(o.receivers, position_limit());
  shot.receivers = std::move(list.positions);
  shot.stations = std::move(list.stations);
  for (Point3& receiver : shot.receivers) receiver = in_model(plan, o, receiver);
  if (!list.note.empty()) plan.notes.push_back(list.note);
  return shot;
}

void plan_shots(RunPlan& plan, const ShotOptions& options, const std::vector<ShotGeometry>& shots) {
  plan.problem.domain.several_sources =
      std::ranges::any_of(shots, [](const ShotGeometry& shot) { return shot.sources.size() > 1; });
  plan.time_zero = options.time.zero;
  SignaturesOfShots signatures(plan.time_zero, plan.problem.dt);
  if (plan.injection) signatures.know(injected_words(), plan.injection->together());
  plan.first_time = first_time_of(plan, options, signatures.first(shots));
  plan_steps(plan, options);
  plan_resolution(plan, plan_wavelets(plan, shots, signatures), options.acquisition.allow_dispersion);
  refuse_aliasing(plan, options.time);
  plan_boundary(plan, options.boundary);
  plan_interpolation(plan, options, shots);
  plan.midpoints = bins_of(shots, extent_of(plan), plan.grid().spacing.x);
}

Shot place_shot(const RunPlan& plan, const ShotGeometry& geometry) {
  const Point3 h = plan.grid().spacing;
  Placement nodes = place(geometry, h, plan.model_box, plan.interpolation);
  Shot shot;
  shot.number = geometry.id;
  for (std::size_t i = 0; i < geometry.sources.size(); ++i) {
    const ShotSource& source = geometry.sources[i];
    const auto& wavelet = plan.wavelets.at(wavelet_name(geometry, source, plan.time_zero));
    shot.sources.push_back({source.position, nodes.sources[i], wavelet, source.amplitude});
  }
  shot.scale = scale_of(plan, shot);
  shot.receivers = geometry.receivers;
  shot.stations = geometry.stations;
  shot.receiver_nodes = std::move(nodes.receivers);
  if (plan.interpolation == Interpolation::nearest) shot.moves = moves_to_nodes(geometry, h);
  shot.receivers_on_surface = count_on_surface(plan, shot);
  refuse_sources_on_surface(plan, shot);
  check_units(shot);
  return shot;
}

}  // namespace minimod
