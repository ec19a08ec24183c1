#include "src/io/gather/recorded_traces.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/error.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/io/gather_format.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

void require_finite(const RecordedTraces& traces, const fs::path& path) {
  traces.values.visit([&](const auto& values) {
    const auto bad = std::ranges::find_if_not(values, [](auto value) { return std::isfinite(value); });
    if (bad == values.end()) return;
    const auto at = static_cast<std::size_t>(bad - values.begin());
    throw traces_error(
        path, text("holds ", *bad, " in trace ", at / traces.samples, ", sample ", at % traces.samples),
        "give finite samples");
  });
}

/// Takes even times, which may be rounded.
void take_times(RecordedTraces& traces, const std::vector<double>& times, const fs::path& path) {
  constexpr double rounding = 1e-3;  // share of an interval
  traces.first = times.front();
  traces.dt = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  for (std::size_t n = 0; n < times.size(); ++n) {
    if (traces.dt > 0 && std::abs(times[n] - traces.time(n)) <= rounding * traces.dt) continue;
    throw traces_error(path,
                       text("has /time that is ", times[n], " s at index ", n, ", where ", traces.time(n),
                            " s would be even"),
                       "sample the traces evenly");
  }
}

FileCoordinates place_in(const hdf5::Handle& file, const fs::path& path) {
  const std::vector<double> origin = hdf5::read_number_attribute(file, "model_origin"),
                            x_axis = hdf5::read_number_attribute(file, "model_x_axis");
  if (origin.size() != 3 || x_axis.size() != 2) return {};
  for (const double value : {origin[0], origin[1], origin[2], x_axis[0], x_axis[1]}) {
    if (!std::isfinite(value)) {
      throw traces_error(path, text("has ", value, " in model_origin or model_x_axis"), "correct it");
    }
  }
  return {{origin[0], origin[1], origin[2]}, {x_axis[0], x_axis[1]}};
}

/// Positions, m, of the things that are called so.
std::vector<Point3> positions_in(const hdf5::Handle& dataset, const char* things, const fs::path& path) {
  const std::vector<double> values = hdf5::read_doubles(dataset, path);
  std::vector<Point3> positions;
  positions.reserve(values.size() / 3);
  for (std::size_t i = 0; i < values.size(); i += 3) {
    const Point3& p = positions.emplace_back(Point3{values[i], values[i + 1], values[i + 2]});
    if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) continue;
    throw traces_error(path, text("has a ", things, ' ', i / 3, " at (", p.x, ", ", p.y, ", ", p.z, ")"),
                       "give finite positions (m)");
  }
  return positions;
}

std::vector<Point3> sources_in(const hdf5::Handle& file, const fs::path& path) {
  if (H5Lexists(file, "source", H5P_DEFAULT) <= 0) return {};
  const hdf5::Handle dataset = hdf5::open_float_dataset(file, "source", path);
  const std::vector<hsize_t> dims = hdf5::shape_of(dataset).dims;
  if (dims.size() > 2 || dims.back() != 3)
    throw traces_error(path, text("has /source ", hdf5::dims_text(dims)), "give x, y and z of each");
  return positions_in(dataset, "source", path);
}

}  // namespace

Error traces_error(const fs::path& path, const std::string& what, const std::string& remedy) {
  return {ErrorKind::data, shown(path) + " " + what, remedy};
}

RecordedTraces read_hdf5_traces(const fs::path& path) {
  const hdf5::Handle file = hdf5::open_for_reading(path);
  const hdf5::Handle dataset = hdf5::open_shaped_dataset(file, "traces", {0, 0}, path);
  const std::vector<hsize_t> dims = hdf5::shape_of(dataset).dims;
  const hdf5::Handle receivers = hdf5::open_shaped_dataset(file, "receivers", {dims[0], 3}, path),
                     time = hdf5::open_shaped_dataset(file, "time", {dims[1]}, path);
  RecordedTraces traces;
  traces.samples = dims[1];
  if (traces.samples < 2) {
    throw traces_error(path, text("has /traces of ", traces.samples, " sample"), "give two samples or more");
  }
  traces.receivers = positions_in(receivers, "receiver", path);
  traces.sources = sources_in(file, path);
  take_times(traces, hdf5::read_doubles(time, path), path);
  traces.values = hdf5::read_reals(dataset, path);
  traces.unit = hdf5::read_text_attribute(dataset, "units");
  traces.place = place_in(hdf5::Handle(H5Oopen(file, "/", H5P_DEFAULT), H5Oclose), path);
  return traces;
}

RecordedTraces read_recorded_traces(const fs::path& path) {
  const GatherFormat* const said = format_named_by(path);
  RecordedTraces traces = (said != nullptr ? said : gather_formats().front())->read(path);
  if (traces.unit.empty()) traces.unit = "source unit / m";
  require_finite(traces, path);
  return traces;
}

}  // namespace minimod
