#include "src/job/gradient/observed_traces.hpp"

#include <cmath>

#include "src/base/error.hpp"
#include "src/base/number_rows.hpp"
#include "src/base/option.hpp"
#include "src/io/survey/shot_files.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

/// The share of a spacing by which positions may differ, and of a sample by which times may: roundings of
/// formats.
constexpr double tolerance = 1e-3;

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  throw traces_error(file, what, "give the traces of this shot, sampled as it is");
}

/// Unit of traces of a source of such a unit.
std::string trace_unit(const std::string& source) {
  return source + " / m";
}

std::string metres_text(Point3 p) {
  return text(p.x, ", ", p.y, ", ", p.z, " m");
}

/// The traces of a file, and the shot that they should be of.
struct TracesOfShot {
  const RecordedTraces& traces;
  const fs::path& file;
  const RunPlan& plan;
  const Shot& shot;
  CoordinateKind coordinates;

  /// Place in the model of a position of the file.
  [[nodiscard]] Point3 in_model(Point3 own) const {
    if (coordinates == CoordinateKind::model) return own;
    return plan.medium->file_coordinates().to_model(traces.place.to_file(own));
  }
};

bool are_one(Point3 there, Point3 here, Point3 h) {
  return std::abs(there.x - here.x) <= tolerance * h.x && std::abs(there.y - here.y) <= tolerance * h.y &&
         std::abs(there.z - here.z) <= tolerance * h.z;
}

/// Sources or receivers, as many as the file has.
void require_positions(const TracesOfShot& of, const char* name, const std::vector<Point3>& recorded,
                       Point3 (Shot::*position)(const Problem&, std::size_t) const) {
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const Point3 there = of.in_model(recorded[i]), here = (of.shot.*position)(of.plan.problem, i);
    if (are_one(there, here, of.plan.grid().spacing)) continue;
    refuse(of.file, text("has ", name, " ", i, " at ", metres_text(there), ", shot ", of.shot.number, " at ",
                         metres_text(here)));
  }
}

/// Shots that were mixed up have the same receivers, perhaps, but other sources.
void require_sources(const TracesOfShot& of) {
  const RecordedTraces& traces = of.traces;
  if (traces.sources.empty()) return;
  const std::size_t count = traces.has_first_source_alone ? 1 : of.shot.sources.size();
  if (traces.sources.size() != count)
    refuse(of.file, text("has ", traces.sources.size(), " sources, shot ", of.shot.number, " has ", count));
  require_positions(of, "source", traces.sources, &Shot::source_position);
}

void require_receivers(const TracesOfShot& of) {
  const std::vector<Point3>& receivers = of.traces.receivers;
  const std::size_t count = of.shot.receivers.size();
  if (receivers.size() != count) {
    refuse(of.file,
           text("has ", receivers.size(), " traces, shot ", of.shot.number, " has ", count, " receivers"));
  }
  require_positions(of, "receiver", receivers, &Shot::receiver_position);
}

void require_times(const RecordedTraces& traces, const fs::path& file, const TimeAxis& time) {
  const auto samples = static_cast<std::size_t>(time.samples());
  const double dt = time.record_dt();
  if (std::abs(traces.dt - dt) * static_cast<double>(samples) > tolerance * dt)
    refuse(file, text("has a sample every ", traces.dt, " s, the run every ", dt, " s"));
  if (traces.samples != samples) refuse(file, text("has ", traces.samples, " samples, the run ", samples));
  if (std::abs(traces.first - time.first) > tolerance * dt)
    refuse(file, text("begins at ", traces.first, " s, the run at ", time.first, " s"));
}

}  // namespace

fs::path traces_file(const TracesOption& traces, const SurveyPlan& plan, int shot) {
  if (!fs::is_directory(traces.value)) {
    if (plan.selected.size() == 1) return traces.value;
    if (!fs::exists(traces.value)) {
      throw Error(ErrorKind::missing_input,
                  text(option(traces.name), " ", shown(traces.value), " is not there"),
                  "give the folder of a survey");
    }
    throw Error(ErrorKind::parameter,
                text(option(traces.name), " is one file for ", plan.selected.size(), " shots"),
                "give the folder of their survey");
  }
  for (const fs::path& folder : {fs::path(traces.value) / "shots", fs::path(traces.value)}) {
    for (const GatherFormat* format : gather_formats()) {
      fs::path file = folder / shot_file_name(shot, format->suffix);
      if (fs::exists(file)) return file;
    }
  }
  throw Error(ErrorKind::missing_input,
              text("shot ", shot, " is not in ", shown(traces.value), ": there is no ",
                   (fs::path("shots") / shot_file_name(shot)).string()),
              text("give all that are inverted, or leave it out by ", option("shots")));
}

Reals traces_of_shot(const fs::path& file, const RunPlan& plan, const Shot& shot, CoordinateKind coordinates,
                     bool any_unit) {
  RecordedTraces traces = read_recorded_traces(file);
  const TracesOfShot of{traces, file, plan, shot, coordinates};
  require_sources(of);
  require_receivers(of);
  require_times(traces, file, plan.time());
  const std::string unit = trace_unit(shot.wavelet().unit), unknown = trace_unit(ShotGather().wavelet_unit);
  if (!any_unit && traces.unit != unit && traces.unit != unknown && unit != unknown)
    refuse(file, text("has the unit '", escaped(traces.unit, 60), "', the shot's is '", unit, "'"));
  return std::move(traces.values);
}

std::vector<double> read_trace_weights(const std::string& file, const SurveyPlan& plan) {
  NumberRows rows = read_number_rows(file, {1, 1, {"weight"}, {}, "a weight, a receiver a line"});
  for (std::size_t i = 0; i < plan.selected.size(); ++i) {
    const std::size_t receivers = plan.shot(i).receivers.size();
    if (receivers == rows.rows()) continue;
    throw Error(ErrorKind::data,
                text(option("trace-weights"), " '", escaped(file, 60), "' has ", rows.rows(),
                     " weights, shot ", plan.shot(i).id, " has ", receivers, " receivers"),
                "give one for each receiver");
  }
  return std::move(rows.values);
}

}  // namespace minimod
