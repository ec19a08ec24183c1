/// SEG-Y models, revisions 0 and 1: one trace is one depth column, its samples are velocities.
///
/// Lengths are metres, or feet where the measurement system of the file header is 2. The standard has no
/// depth step; its time fields are read as depth, a second for 1000 units of length: the sample interval
/// (microseconds) in thousandths (7500 is 7.5 m), the delay (milliseconds, with the scalar of bytes 215-216)
/// in whole ones, as the depth of the first sample. Positions of the traces come from the coordinates in
/// their headers (CDP, else source, else receiver group), which must be lengths. Where the inline and
/// crossline numbers of all traces fill a rectangle exactly, the model is 3-D; otherwise the traces are a 2-D
/// section (segy_geometry.hpp).
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "models/readers.hpp"
#include "models/segy_geometry.hpp"
#include "src/base/ibm_float.hpp"
#include "src/base/input_file.hpp"

namespace minimod {
namespace {

constexpr std::uint64_t text_header_bytes = 3200;
constexpr std::uint64_t file_header_bytes = 3600;
constexpr std::uint64_t trace_header_bytes = 240;
constexpr std::uint64_t sample_bytes = 4;
constexpr int ibm_format = 1;
constexpr int ieee_format = 5;

std::uint32_t big_endian(const std::byte* bytes, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return value;
}
int int16_at(const std::byte* bytes) {
  return static_cast<std::int16_t>(big_endian(bytes, 2));
}
int int32_at(const std::byte* bytes) {
  return static_cast<std::int32_t>(big_endian(bytes, 4));
}

/// What the file header says that matters here.
struct FileHeader {
  int ensemble_traces = 0;  ///< traces of one ensemble
  int interval = 0;         ///< thousandths of a unit of length, 0 where it does not say
  int system = 0;           ///< of measurement: 0 not said, 1 metres, 2 feet
  std::uint64_t samples = 0;
  int format = 0;
  std::uint64_t first_trace = 0;  ///< byte

  [[nodiscard]] double metres() const { return system == 2 ? metres_per_foot : 1; }  ///< in a unit of length
  [[nodiscard]] std::uint64_t trace_bytes() const { return trace_header_bytes + sample_bytes * samples; }
};

FileHeader read_file_header(const InputFile& file) {
  if (file.size() < file_header_bytes) {
    throw model_error(file.path(),
                      text("holds ", file.size(), " bytes, a SEG-Y header alone is ", file_header_bytes),
                      "give a whole SEG-Y file");
  }
  std::array<std::byte, file_header_bytes - text_header_bytes> bytes{};
  file.read(text_header_bytes, bytes);
  FileHeader header;
  header.ensemble_traces = static_cast<int>(big_endian(&bytes[12], 2));
  header.interval = static_cast<int>(big_endian(&bytes[16], 2));
  header.system = int16_at(&bytes[54]);
  header.samples = big_endian(&bytes[20], 2);
  header.format = int16_at(&bytes[24]);
  const int revision = static_cast<int>(big_endian(&bytes[300], 1));
  const int extra_headers = int16_at(&bytes[304]);
  if (header.samples == 0 || (header.format != ibm_format && header.format != ieee_format) || revision > 1 ||
      extra_headers < 0) {
    throw model_error(file.path(),
                      text("has a SEG-Y header of revision ", revision, ", sample format ", header.format,
                           ", ", header.samples, " samples a trace, ", extra_headers, " extended headers"),
                      "give revision 0 or 1 with format 1 (IBM) or 5 (IEEE)");
  }
  if (header.system < 0 || header.system > 2) {
    throw model_error(file.path(), text("has the measurement system ", header.system),
                      "correct bytes 3255-3256: 1 for metres, 2 for feet");
  }
  header.first_trace = file_header_bytes + text_header_bytes * static_cast<std::uint64_t>(extra_headers);
  return header;
}

/// Number of traces. Errors: 65 when the file does not end with one, or before the first ensemble does.
std::uint64_t count_traces(const InputFile& file, const FileHeader& header) {
  const std::uint64_t body = file.size() > header.first_trace ? file.size() - header.first_trace : 0;
  const std::uint64_t count = body / header.trace_bytes();
  const std::uint64_t whole = header.first_trace + count * header.trace_bytes();
  if (count == 0 || whole != file.size()) {
    throw model_error(file.path(),
                      text("holds ", file.size(), " bytes, ", count, " whole traces of ", header.samples,
                           " samples end at byte ", whole),
                      "the file is truncated or its header wrong: make it anew");
  }
  // The header of a truncated file still tells how many traces there were.
  if (count < static_cast<std::uint64_t>(header.ensemble_traces)) {
    throw model_error(file.path(), text("holds ", count, " traces, its header says ", header.ensemble_traces),
                      "the file is truncated: make it anew");
  }
  return count;
}

/// A scalar below 0 divides: a division by 10 gives other digits than a product with 0.1.
double scaled(double value, int scalar) {
  return scalar < 0 ? value / -scalar : value * std::max(scalar, 1);
}

/// Reads trace headers. Which coordinates are used is decided once, for all traces.
class TraceHeaders {
 public:
  TraceHeaders(const InputFile& file, const FileHeader& header, std::uint64_t count)
      : file_(file), header_(header) {
    constexpr std::array<std::size_t, 3> x_offsets = {180, 72, 80};  // CDP, source, receiver group
    for (const std::size_t offset : x_offsets) {
      x_offset_ = offset;
      const TraceHeader first = read(0), last = read(count - 1);
      if (first.x != last.x || first.y != last.y) return;
    }
  }

  [[nodiscard]] TraceHeader read(std::uint64_t trace) const {
    std::array<std::byte, trace_header_bytes> bytes{};
    file_.read(header_.first_trace + trace * header_.trace_bytes(), bytes);
    const std::uint64_t samples = big_endian(&bytes[114], 2);
    if (samples != 0 && samples != header_.samples) {
      throw model_error(file_.path(),
                        text("has ", samples, " samples in trace ", trace + 1, " and ", header_.samples,
                             " in its file header"),
                        "give traces of one length");
    }
    TraceHeader result;
    const int scalar = int16_at(&bytes[70]);
    const double metres = header_.metres();
    result.unit = scaled(1, scalar) * metres;
    result.x = scaled(int32_at(&bytes[x_offset_]), scalar) * metres;
    result.y = scaled(int32_at(&bytes[x_offset_ + 4]), scalar) * metres;
    result.coordinate_units = int16_at(&bytes[88]);
    result.first_depth = scaled(int16_at(&bytes[108]), int16_at(&bytes[214])) * metres;
    result.interval = static_cast<int>(big_endian(&bytes[116], 2));
    result.inline_number = int32_at(&bytes[188]);
    result.crossline_number = int32_at(&bytes[192]);
    return result;
  }

 private:
  const InputFile& file_;
  const FileHeader& header_;
  std::size_t x_offset_ = 0;
};

class SegyModel final : public ModelFile {
 public:
  SegyModel(const ModelSpec& spec, const std::filesystem::path& path)
      : file_(path), header_(read_file_header(file_)) {
    if (!spec.axes.empty()) {
      throw Error(ExitCode::usage,
                  "--model-axes is given with a SEG-Y file, which has depth as its fastest axis",
                  "leave it out");
    }
    const std::vector<TraceHeader> traces = read_headers();
    SegyGeometry geometry = arrange_traces(traces, path, !spec.spacing.has_value());
    grid_ = std::move(geometry.grid);
    layout_.axes = geometry.columns_along_x ? Axes{'z', 'x', 'y'} : Axes{'z', 'y', 'x'};
    layout_.dims = {static_cast<int>(header_.samples), grid_.columns, grid_.rows};
    layout_.notes = std::move(geometry.notes);
    layout_.coordinates = geometry.coordinates;
    layout_.coordinates.origin.z = first_depth(traces);
    require_dims(spec, layout_, path);
    if (!spec.spacing) {
      layout_.spacing = geometry.spacing;
      layout_.spacing->z = depth_step(traces);
    }
    require_unit(spec);
  }

  [[nodiscard]] const FileLayout& layout() const override { return layout_; }

  void read(int first, int count, std::span<double> values) override {
    bytes_.resize(sample_bytes * header_.samples);
    const auto begin = static_cast<std::size_t>(first) * grid_.columns;
    const auto end = begin + static_cast<std::size_t>(count) * grid_.columns;
    auto value = values.begin();
    for (std::size_t cell = begin; cell < end; ++cell) {
      const auto trace = static_cast<std::uint64_t>(grid_.trace_at[cell]);
      file_.read(header_.first_trace + trace * header_.trace_bytes() + trace_header_bytes, bytes_);
      for (std::size_t i = 0; i < bytes_.size(); i += sample_bytes)
        *value++ = sample(big_endian(&bytes_[i], 4));
    }
  }

 private:
  [[nodiscard]] double sample(std::uint32_t bits) const {
    return header_.format == ibm_format ? from_ibm(bits) : std::bit_cast<float>(bits);
  }

  [[nodiscard]] std::vector<TraceHeader> read_headers() const {
    const std::uint64_t count = count_traces(file_, header_);
    if (count > std::numeric_limits<int>::max()) {
      throw model_error(file_.path(), text("holds ", count, " traces"), "at most 2^31 - 1 are possible");
    }
    const TraceHeaders headers(file_, header_, count);
    std::vector<TraceHeader> traces;
    traces.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) traces.push_back(headers.read(i));
    return traces;
  }

  /// Of the file header, or of the traces where that does not say, m; 0 where nobody does.
  [[nodiscard]] double depth_step(const std::vector<TraceHeader>& traces) {
    const int interval = header_.interval != 0 ? header_.interval : traces.front().interval;
    for (const TraceHeader& trace : traces) {
      if (trace.interval == interval || trace.interval == 0) continue;
      throw model_error(file_.path(),
                        text("has a sample interval of ", trace.interval, " in trace ",
                             &trace - traces.data() + 1, " and of ", interval, " before it"),
                        "make them one, or give --model-spacing");
    }
    layout_.notes.push_back(text("sample interval ", interval, " read as ", interval / 1000.0,
                                 header_.system == 2   ? " ft"
                                 : header_.system == 1 ? " m"
                                                       : " m (the file does not say metres or feet)"));
    return interval / 1000.0 * header_.metres();
  }

  [[nodiscard]] double first_depth(const std::vector<TraceHeader>& traces) const {
    const double depth = traces.front().first_depth;
    for (const TraceHeader& trace : traces) {
      if (trace.first_depth == depth) continue;
      throw model_error(file_.path(),
                        text("has its first sample at ", trace.first_depth, " m in trace ",
                             &trace - traces.data() + 1, " and at ", depth, " m in the first (the delay)"),
                        "give traces that begin at one depth");
    }
    return depth;
  }

  /// SEG-Y has no place for the unit of a velocity; in a file of feet none goes without saying.
  void require_unit(const ModelSpec& spec) const {
    if (header_.system != 2 || !spec.unit.empty()) return;
    throw model_error(file_.path(), "is in feet, and does not say the unit of its velocities",
                      "give --velocity-unit ft/s (or m/s)");
  }

  InputFile file_;
  FileHeader header_;
  FileLayout layout_;
  TraceGrid grid_;
  std::vector<std::byte> bytes_;
};

}  // namespace

std::unique_ptr<ModelFile> open_segy_model(const ModelSpec& spec, const std::filesystem::path& path) {
  return std::make_unique<SegyModel>(spec, path);
}

}  // namespace minimod
