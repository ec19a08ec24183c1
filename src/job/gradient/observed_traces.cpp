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

/// Place in the model of a position of the file.
Point3 in_model(const RecordedTraces& traces, Point3 own, const RunPlan& plan, CoordinateKind coordinates) {
  if (coordinates == CoordinateKind::model) return own;
  return plan.medium->file_coordinates().to_model(traces.place.to_file(own));
}

bool are_one(Point3 there, Point3 here, Point3 h) {
  return std::abs(there.x - here.x) <= tolerance * h.x && std::abs(there.y - here.y) <= tolerance * h.y &&
         std::abs(there.z - here.z) <= tolerance * h.z;
}

/// Shots that were mixed up have the same receivers, perhaps, but other sources.
void require_sources(const RecordedTraces& traces, const fs::path& file, const RunPlan& plan,
                     const Shot& shot, CoordinateKind coordinates) {
  if (traces.sources.empty()) return;
  const std::size_t count = traces.has_first_source_alone ? 1 : shot.sources.size();
  if (traces.sources.size() != count)
    refuse(file, text("has ", traces.sources.size(), " sources, shot ", shot.number, " has ", count));
  for (std::size_t i = 0; i < count; ++i) {
    const Point3 there = in_model(traces, traces.sources[i], plan, coordinates);
    const Point3 here = shot.source_position(plan.problem, i);
    if (are_one(there, here, plan.grid().spacing)) continue;
    refuse(file, text("has source ", i, " at ", metres_text(there), ", shot ", shot.number, " at ",
                      metres_text(here)));
  }
}

void require_receivers(const RecordedTraces& traces, const fs::path& file, const RunPlan& plan,
                       const Shot& shot, CoordinateKind coordinates) {
  const std::size_t count = shot.receivers.size();
  if (traces.receivers.size() != count) {
    refuse(file, text("has ", traces.receivers.size(), " traces, shot ", shot.number, " has ", count,
                      " receivers"));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Point3 there = in_model(traces, traces.receivers[i], plan, coordinates);
    const Point3 here = shot.receiver_position(plan.problem, i);
    if (are_one(there, here, plan.grid().spacing)) continue;
    refuse(file, text("has receiver ", i, " at ", metres_text(there), ", shot ", shot.number, " at ",
                      metres_text(here)));
  }
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
  require_sources(traces, file, plan, shot, coordinates);
  require_receivers(traces, file, plan, shot, coordinates);
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
