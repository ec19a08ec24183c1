#include "src/job/plan/survey_plan.hpp"

#include <algorithm>
#include <optional>

#include "src/base/error.hpp"
#include "src/base/files/file_suffix.hpp"
#include "src/base/option.hpp"
#include "src/base/work/wanted_work.hpp"
#include "src/job/geometry/field_geometry.hpp"
#include "src/job/geometry/receiver_files.hpp"
#include "src/job/geometry/source_list.hpp"
#include "src/job/outputs/provenance.hpp"
#include "src/job/plan/arrivals.hpp"
#include "src/job/plan/equation_options.hpp"
#include "src/job/shot/modeled_shot.hpp"

namespace minimod {
namespace {

/// Whether each shot has the receivers that its traces in a file of field data have.
bool has_own_receivers(const AcquisitionOptions& o) {
  return o.sources == o.receivers && is_field_file(o.sources) && is_segy_name(o.sources);
}

void refuse_survey_options(const AcquisitionOptions& o) {
  const auto refuse = [](const std::string& what, const char* remedy) {
    throw Error(ErrorKind::parameter, what, remedy);
  };
  if (o.sources.empty()) return;
  if (o.source)
    refuse(text(option("source"), " and ", option("sources"), " are both given"), "give one of them");
  if (o.receivers_move && o.receivers.empty()) {
    refuse(text(option("receivers-move"), " is given without ", option("receivers")),
           "give their positions relative to the source");
  }
  if (o.receivers_move && has_own_receivers(o)) {
    refuse(option("receivers-move") + " is given with a file that has the receivers of each shot",
           "leave it out");
  }
}

/// The receivers of one shot after the other, in the coordinates that they are given in.
class ReceiversOfShots {
 public:
  ReceiversOfShots(const AcquisitionOptions& options, std::size_t shots) : options_(options) {
    const std::string& spec = options.receivers;
    if (spec.empty() || has_own_receivers(options)) return;
    if (!is_line_or_grid(spec) && FilePattern::is_one(spec)) {
      files_.emplace(spec);
    } else {
      fixed_ = read(spec);
      check_position_memory(static_cast<double>(fixed_.positions.size()) * static_cast<double>(shots),
                            option("receivers"), position_limit());
    }
  }

  /// `shot` has its sources as they were given, and receivers where it has its own.
  void give(ShotGeometry& shot) {
    if (!has_own_receivers(options_)) {
      ReceiverList list = files_ ? read(files_->name(shot.id)) : fixed_;
      shot.receivers = std::move(list.positions);
      shot.stations = std::move(list.stations);
    }
    taken_ += static_cast<double>(shot.receivers.size());
    check_position_memory(taken_, option("receivers"), position_limit());
    if (!options_.receivers_move) return;
    const Point3 s = shot.sources.front().position;
    for (Point3& p : shot.receivers) p = {s.x + p.x, s.y + p.y, s.z + p.z};
  }

  /// Notes for the user about their files, of `shots` shots.
  [[nodiscard]] std::vector<std::string> notes(std::size_t shots) const {
    return notes_.lines(files_ ? shots : 1);
  }

 private:
  ReceiverList read(const std::string& spec) {
    ReceiverList list = parse_receivers(spec, position_limit());
    if (!list.note.empty()) notes_.add("", {list.note, "columns left out"});
    return list;
  }

  const AcquisitionOptions& options_;
  SummedNotes notes_{"files of receivers"};
  std::optional<FilePattern> files_;
  ReceiverList fixed_;
  double taken_ = 0;  ///< positions
};

/// A position as it was given, in the model's coordinates.
Point3 in_model(const SampledMedium& medium, const AcquisitionOptions& o, Point3 given) {
  return o.coordinates == CoordinateKind::file ? medium.file_coordinates().to_model(given) : given;
}

/// A line along x through the whole model, at the y of the source and z = 0, or a node below a free surface.
std::vector<Point3> default_receivers(const Ground& ground, Point3 source) {
  const Point3 h = ground.medium->spacing();
  const int count = ground.medium->inner().extent().x;
  const double depth = ground.domain.boundary.free_surface ? h.z : 0;
  std::vector<Point3> line;
  line.reserve(count);
  for (int i = 0; i < count; ++i) line.push_back({i * h.x, source.y, depth});
  return line;
}

/// A source at each receiver of the gather.
std::vector<ShotSource> injected_sources(const SampledMedium& medium, const AcquisitionOptions& o,
                                         const RecordedTraces& traces) {
  std::vector<ShotSource> sources;
  sources.reserve(traces.receivers.size());
  for (const Point3& receiver : traces.receivers) {
    const bool on_map = o.coordinates == CoordinateKind::file;
    sources.push_back(
        {in_model(medium, o, on_map ? traces.place.to_file(receiver) : receiver), injected_words()});
  }
  return sources;
}

/// The shot that the options name by --source, --wavelet and --receivers.
Acquisition single_shot(const Ground& ground, const AcquisitionOptions& o) {
  const SampledMedium& medium = *ground.medium;
  const Extent3 n = medium.inner().extent();
  const Point3 centre = node_position({n.x / 2, n.y / 2, n.z / 2}, medium.spacing(), {});
  const Point3 source = o.source ? in_model(medium, o, *o.source) : centre;
  ShotGeometry shot{first_shot_number, {{source, o.signature()}}, {}};
  Acquisition single;
  if (!o.inject.empty()) {
    single.injection = std::make_shared<Injection>(o.inject, o.reverse);
    shot.sources = injected_sources(medium, o, single.injection->traces());
  }
  if (o.receivers.empty()) {
    shot.receivers = default_receivers(ground, shot.sources.front().position);
  } else {
    ReceiverList list = parse_receivers(o.receivers, position_limit());
    shot.receivers = std::move(list.positions);
    shot.stations = std::move(list.stations);
    for (Point3& receiver : shot.receivers) receiver = in_model(medium, o, receiver);
    if (!list.note.empty()) single.notes.push_back(list.note);
  }
  single.shots.push_back(std::move(shot));
  return single;
}

bool has_usual_receivers(const AcquisitionOptions& o) {
  if (!o.given) return o.receivers.empty();
  return std::ranges::any_of(o.given->shots, [](const auto& shot) { return shot.receivers.empty(); });
}

Acquisition given_shots(const Ground& ground, const AcquisitionOptions& o) {
  Acquisition all{o.given->shots, nullptr, {}};
  if (!o.inject.empty()) all.injection = std::make_shared<Injection>(o.inject, o.reverse);
  for (ShotGeometry& shot : all.shots) {
    settle(shot, ground, o);
    if (all.injection) shot.sources = injected_sources(*ground.medium, o, all.injection->traces());
  }
  return all;
}

Acquisition all_shots(const Ground& ground, const AcquisitionOptions& o) {
  if (o.given) return given_shots(ground, o);
  if (o.sources.empty()) return single_shot(ground, o);
  const SampledMedium& medium = *ground.medium;
  SourceList sources = parse_sources(o.sources, o.signature(), position_limit());
  Acquisition all;
  if (!sources.note.empty()) all.notes.push_back(sources.note);
  if (o.receivers.empty()) {
    const Point3 first = in_model(medium, o, sources.shots.front().sources.front().position);
    const auto line = static_cast<double>(default_receivers(ground, first).size());
    check_position_memory(line * static_cast<double>(sources.shots.size()),
                          text(option("sources"), " without ", option("receivers")), position_limit());
  }
  ReceiversOfShots receivers(o, sources.shots.size());
  for (ShotGeometry& shot : sources.shots) {
    if (o.receivers.empty()) {
      shot.receivers.clear();
      shot.stations.clear();
    } else {
      receivers.give(shot);
    }
    settle(shot, ground, o);
  }
  for (std::string& line : receivers.notes(sources.shots.size())) all.notes.push_back(std::move(line));
  all.shots = std::move(sources.shots);
  return all;
}

std::vector<int> selected_shots(const std::vector<ShotGeometry>& shots, const ShotRange& range) {
  const int first = shots.front().id, last = shots.back().id;
  const int begin = range.begin.value_or(first), end = range.end.value_or(last + 1);
  const std::string valid =
      first == last ? text("has shot ", first, " alone") : text("has shots ", first, " to ", last);
  if (begin > last || end > last + 1) {
    throw Error(ErrorKind::parameter,
                text(option("shots"), " goes to ", std::max(begin, end - 1), ", the survey ", valid),
                text("stay in ", first, ":", last + 1));
  }
  std::vector<int> selected;
  int passed = 0;
  for (std::size_t i = 0; i < shots.size(); ++i) {
    if (shots[i].id < begin || shots[i].id >= end) continue;
    if (passed++ % range.step == 0) selected.push_back(static_cast<int>(i));
  }
  if (selected.empty()) {
    throw Error(ErrorKind::parameter,
                text("none of the survey's shots is in ", option("shots"), " ", begin, ":", end),
                text("it ", valid, ", not all of these numbers"));
  }
  return selected;
}

/// Findings on the selected shots.
struct PlacedShots {
  Shot first;
  ShotSize largest;
  std::vector<std::string> arrivals;
};

/// Places each shot, which checks it.
PlacedShots place_all(const RunPlan& plan, const std::vector<ShotGeometry>& shots,
                      const std::vector<int>& selected) {
  const auto placed = [&](const ShotGeometry& shot) {
    require_wanted();
    try {
      return place_shot(plan, shot);
    } catch (const Error& wrong) {
      if (shots.size() == 1) throw;
      throw Error(wrong.kind(), text("shot ", shot.id, ": ", wrong.what()), "");
    }
  };
  for (const ShotGeometry& shot : shots) static_cast<void>(placed(shot));
  PlacedShots all;
  ArrivalNotes arrivals(plan);
  for (std::size_t i = selected.size(); i-- > 0;) {
    all.first = placed(shots[selected[i]]);  // the first one stays
    arrivals.add(all.first);
    const ShotSize size = shot_size(plan.problem, all.first);
    ShotSize& most = all.largest;
    most = {std::max(most.source_nodes, size.source_nodes),
            std::max(most.source_samples, size.source_samples), std::max(most.receivers, size.receivers),
            size.batch};
  }
  all.arrivals = arrivals.lines(selected.size());
  return all;
}

}  // namespace

void settle(ShotGeometry& shot, const Ground& ground, const AcquisitionOptions& o) {
  const SampledMedium& medium = *ground.medium;
  for (Point3& receiver : shot.receivers) receiver = in_model(medium, o, receiver);
  for (ShotSource& source : shot.sources) source.position = in_model(medium, o, source.position);
  if (shot.receivers.empty()) shot.receivers = default_receivers(ground, shot.sources.front().position);
}

SurveyPlan make_survey_plan(const ShotOptions& options, int parts) {
  refuse_survey_options(options.acquisition);
  LayerChoice layer = choose_layer(options);
  check_equation_options(options, layer.kind);
  check_boundary_options(layer.kind, options.boundary, options.kernels);
  check_injection_options(options.acquisition, options.time);
  std::string date = utc_now();
  const Ground ground = make_ground(options, layer, parts);
  const TimeStep step = make_time_step(ground.domain, *ground.medium, options);
  Acquisition acquisition = all_shots(ground, options.acquisition);
  std::vector<ShotGeometry>& shots = acquisition.shots;
  std::vector<int> selected = selected_shots(shots, options.acquisition.shots.value_or(ShotRange{}));
  RunPlan shared = make_plan(options, ground, step, acquisition);
  PlacedShots placed = place_all(shared, shots, selected);
  std::vector<const ShotGeometry*> geometries;
  geometries.reserve(selected.size());
  for (const int i : selected) geometries.push_back(&shots[i]);
  std::optional<ExpectedEcho> echo = expected_echo(shared, geometries);
  return {.date = std::move(date),
          .layer_rule = std::move(layer.rule),
          .shared = std::move(shared),
          .shots = std::move(shots),
          .default_line = has_usual_receivers(options.acquisition),
          .selected = std::move(selected),
          .first = std::move(placed.first),
          .largest = placed.largest,
          .echo = std::move(echo),
          .arrivals = std::move(placed.arrivals)};
}

}  // namespace minimod
