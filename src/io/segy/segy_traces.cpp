#include "src/io/segy/segy_traces.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "src/base/error.hpp"
#include "src/base/process/host_memory.hpp"
#include "src/base/segy/segy_input.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

/// Facts that must be the same in all traces.
struct SegyTraceFacts {
  int shot = 0, interval = 0;
  double first = 0;  ///< s
  friend bool operator==(const SegyTraceFacts&, const SegyTraceFacts&) = default;
};

SegyTraceFacts facts_in(const segy::TraceWords& words) {
  using namespace segy::trace;
  return {segy::number_at(words, record), static_cast<int>(segy::count_at(words, interval)),
          1e-3 * segy::scaled_at(words, delay, time_scalar)};
}

Point3 receiver_in(const segy::TraceWords& words, double metres) {
  using namespace segy::trace;
  return {segy::scaled_at(words, receiver_x, coordinate_scalar) * metres,
          segy::scaled_at(words, receiver_y, coordinate_scalar) * metres,
          -segy::scaled_at(words, receiver_elevation, elevation_scalar) * metres + 0.0};
}

/// Depth below the surface, whose elevation the receivers' are from, too.
Point3 source_in(const segy::TraceWords& words, double metres) {
  using namespace segy::trace;
  const double depth = segy::scaled_at(words, source_depth, elevation_scalar) -
                       segy::scaled_at(words, surface_elevation, elevation_scalar);
  return {segy::scaled_at(words, source_x, coordinate_scalar) * metres,
          segy::scaled_at(words, source_y, coordinate_scalar) * metres, depth * metres};
}

void require_memory(std::uint64_t bytes, const fs::path& path) {
  if (bytes <= available_host_memory()) return;
  throw Error(ErrorKind::resource,
              text(shown(path), " holds ", bytes, " bytes of traces, ", available_host_memory(), " are free"),
              "give fewer traces");
}

}  // namespace

RecordedTraces read_segy_traces(const fs::path& path) {
  const segy::Input file(path);
  const segy::InputHeader& header = file.header();
  require_memory(file.traces() * header.samples * sizeof(float), path);
  RecordedTraces traces;
  traces.has_first_source_alone = true;
  traces.samples = header.samples;
  Reals::Values<float> values(file.traces() * header.samples);
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
    if (segy::number_at(words, segy::trace::coordinate_units) > 1) {
      throw traces_error(path, text("has coordinates that are angles in trace ", i + 1), "give lengths");
    }
    traces.receivers.push_back(receiver_in(words, header.metres()));
    const Point3 source = source_in(words, header.metres());
    if (i == 0 && (source.x != 0 || source.y != 0)) traces.sources = {source};  // zeros say nothing
    file.read_samples(i, bytes);
    for (std::size_t n = 0; n < traces.samples; ++n) {
      values[i * traces.samples + n] = static_cast<float>(
          segy::sample_in(std::span(bytes).subspan(segy::sample_bytes * n), header.floats));
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

}  // namespace minimod
