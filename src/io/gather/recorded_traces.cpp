#include "src/io/gather/recorded_traces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/segy_input.hpp"
#include "src/base/error.hpp"
#include "src/base/files/file_suffix.hpp"
#include "src/base/files/input_file.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/process/host_memory.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

Error traces_error(const fs::path& path, const std::string& what, const std::string& remedy) {
  return {ExitCode::data, shown(path) + " " + what, remedy};
}

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

// ---- HDF5 ----

/// Takes even times, which may be rounded.
void take_times(RecordedTraces& traces, const std::vector<double>& times, const fs::path& path) {
  constexpr double rounding = 1e-3;  // of an interval
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

/// Of the receivers, m.
std::vector<Point3> positions_in(const hdf5::Handle& receivers, const fs::path& path) {
  const std::vector<double> values = hdf5::read_doubles(receivers, path);
  std::vector<Point3> positions;
  positions.reserve(values.size() / 3);
  for (std::size_t i = 0; i < values.size(); i += 3) {
    const Point3& p = positions.emplace_back(Point3{values[i], values[i + 1], values[i + 2]});
    if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) continue;
    throw traces_error(path, text("has a receiver ", i / 3, " at (", p.x, ", ", p.y, ", ", p.z, ")"),
                       "give finite positions (m)");
  }
  return positions;
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
  traces.receivers = positions_in(receivers, path);
  take_times(traces, hdf5::read_doubles(time, path), path);
  traces.values = hdf5::read_reals(dataset, path);
  traces.unit = hdf5::read_text_attribute(dataset, "units");
  traces.place = place_in(hdf5::Handle(H5Oopen(file, "/", H5P_DEFAULT), H5Oclose), path);
  return traces;
}

// ---- SEG-Y ----

/// What must be the same in all traces.
struct SegyTraceFacts {
  int shot = 0, interval = 0;
  double first = 0;  ///< s
  friend bool operator==(const SegyTraceFacts&, const SegyTraceFacts&) = default;
};

SegyTraceFacts facts_in(const segy::TraceWords& words) {
  return {words.int32(9), words.uint16(117), 1e-3 * segy::scaled(words.int16(109), words.int16(215))};
}

Point3 receiver_in(const segy::TraceWords& words, double metres) {
  return {words.scaled(81, 71) * metres, words.scaled(85, 71) * metres, -words.scaled(41, 69) * metres + 0.0};
}

void require_memory(std::uint64_t bytes, const fs::path& path) {
  if (bytes <= available_host_memory()) return;
  throw Error(ExitCode::resource,
              text(shown(path), " holds ", bytes, " bytes of traces, ", available_host_memory(), " are free"),
              "give fewer traces");
}

RecordedTraces read_segy_traces(const fs::path& path) {
  const segy::Input file(path);
  const segy::InputHeader& header = file.header();
  require_memory(file.traces() * header.samples * sizeof(float), path);
  RecordedTraces traces;
  traces.samples = header.samples;
  std::vector<float> values(file.traces() * header.samples);
  std::vector<std::byte> bytes(segy::sample_bytes * header.samples);
  SegyTraceFacts all;
  for (std::uint64_t i = 0; i < file.traces(); ++i) {
    const segy::TraceWords words = file.words(i);
    const SegyTraceFacts facts = facts_in(words);
    if (i == 0) all = facts;
    if (!(facts == all)) {
      throw traces_error(path,
                         text("has another shot, sampling or start in trace ", i + 1, " than in the first"),
                         "give the traces of one shot");
    }
    if (words.int16(89) > 1) {
      throw traces_error(path, text("has coordinates that are angles in trace ", i + 1), "give lengths");
    }
    traces.receivers.push_back(receiver_in(words, header.metres()));
    file.read_samples(i, bytes);
    for (std::size_t n = 0; n < traces.samples; ++n) {
      values[i * traces.samples + n] = static_cast<float>(header.sample(&bytes[segy::sample_bytes * n]));
    }
  }
  const int interval = header.interval != 0 ? header.interval : all.interval;
  if (interval == 0 || traces.samples < 2) {
    throw traces_error(path, text("has ", traces.samples, " samples a trace, ", interval, " us apart"),
                       "give two samples or more, and their interval in bytes 3217-3218");
  }
  traces.values = Reals(std::move(values));
  traces.dt = 1e-6 * interval;
  traces.first = all.first;
  return traces;
}

}  // namespace

RecordedTraces read_recorded_traces(const fs::path& path) {
  RecordedTraces traces = is_segy_name(path) ? read_segy_traces(path) : read_hdf5_traces(path);
  if (traces.unit.empty()) traces.unit = "source unit / m";
  require_finite(traces, path);
  return traces;
}

}  // namespace minimod
