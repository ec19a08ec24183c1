/// SEG-Y models, revisions 0 and 1: one trace is one depth column, its samples are velocities.
///
/// The sample interval, micro-units by the standard, is read as millimetres of depth (7500 is 7.5 m).
/// Positions of the traces come from the coordinates in their headers (CDP, else source, else receiver
/// group). Where the inline and crossline numbers of all traces fill a rectangle exactly, the model is 3-D;
/// otherwise the traces are a 2-D section in the order of the file.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "models/readers.hpp"
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

/// IBM System/360 single: sign, exponent of 16 biased by 64, 24 bits of fraction.
double ibm_float(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 24 & 0x7f) - 64;
  const double magnitude = std::ldexp(bits & 0xffffff, 4 * exponent - 24);
  return bits >> 31 != 0 ? -magnitude : magnitude;
}

/// What the file header says that matters here.
struct FileHeader {
  int ensemble_traces = 0;  ///< traces of one ensemble
  double interval = 0;      ///< m of depth, 0 where it does not say
  std::uint64_t samples = 0;
  int format = 0;
  std::uint64_t first_trace = 0;  ///< byte

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
  header.interval = big_endian(&bytes[16], 2) / 1000.0;
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

/// What the header of a trace says that matters here.
struct TraceHeader {
  double x = 0, y = 0;  ///< m
  double unit = 1;      ///< of the coordinates, m
  int inline_number = 0, crossline_number = 0;
};

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
    // A division by 10 gives other digits than a product with 0.1.
    const auto metres = [scalar](double value) {
      return scalar < 0 ? value / -scalar : value * std::max(scalar, 1);
    };
    result.unit = metres(1);
    result.x = metres(int32_at(&bytes[x_offset_]));
    result.y = metres(int32_at(&bytes[x_offset_ + 4]));
    result.inline_number = int32_at(&bytes[188]);
    result.crossline_number = int32_at(&bytes[192]);
    return result;
  }

 private:
  const InputFile& file_;
  const FileHeader& header_;
  std::size_t x_offset_ = 0;
};

/// Where the traces stand: `trace_at[row * columns + column]` is a trace's place in the file.
struct TraceGrid {
  int columns = 0;
  int rows = 1;
  std::vector<int> trace_at;

  [[nodiscard]] const TraceHeader& at(const std::vector<TraceHeader>& traces, int column, int row) const {
    return traces[static_cast<std::size_t>(trace_at[static_cast<std::size_t>(row) * columns + column])];
  }
};

std::vector<int> distinct(const std::vector<TraceHeader>& traces, int TraceHeader::*number) {
  std::vector<int> values;
  values.reserve(traces.size());
  for (const TraceHeader& trace : traces) values.push_back(trace.*number);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

int position_of(const std::vector<int>& sorted, int value) {
  return static_cast<int>(std::ranges::lower_bound(sorted, value) - sorted.begin());
}

TraceGrid section_of(const std::vector<TraceHeader>& traces) {
  TraceGrid grid{static_cast<int>(traces.size()), 1, std::vector<int>(traces.size())};
  std::iota(grid.trace_at.begin(), grid.trace_at.end(), 0);
  return grid;
}

/// Crosslines as columns and inlines as rows where both vary, a section where they do not. Errors: 65 when
/// there are more traces than a section has and they do not fill the rectangle.
TraceGrid arrange(const std::vector<TraceHeader>& traces, const std::filesystem::path& path) {
  const auto inlines = distinct(traces, &TraceHeader::inline_number);
  const auto crosslines = distinct(traces, &TraceHeader::crossline_number);
  // A section across a survey changes both numbers, each at most once a trace.
  const bool section = traces.size() == std::max(inlines.size(), crosslines.size());
  if (inlines.size() == 1 || crosslines.size() == 1 || section) return section_of(traces);

  TraceGrid grid{static_cast<int>(crosslines.size()), static_cast<int>(inlines.size()), {}};
  const auto cells = static_cast<std::uint64_t>(crosslines.size()) * inlines.size();
  bool fills = cells == traces.size();
  if (fills) grid.trace_at.assign(cells, -1);
  for (std::size_t i = 0; fills && i < traces.size(); ++i) {
    const auto row = static_cast<std::size_t>(position_of(inlines, traces[i].inline_number));
    const int column = position_of(crosslines, traces[i].crossline_number);
    int& cell = grid.trace_at[row * crosslines.size() + static_cast<std::size_t>(column)];
    fills = cell < 0;
    cell = static_cast<int>(i);
  }
  if (fills) return grid;
  throw model_error(path,
                    text("holds ", traces.size(), " traces, which do not fill its ", inlines.size(),
                         " inlines x ", crosslines.size(), " crosslines once"),
                    "give the whole grid or a section");
}

/// From a trace to the next one, m.
struct Step {
  double x = 0, y = 0;
  [[nodiscard]] double length() const { return std::hypot(x, y); }
};

Step step_between(const TraceHeader& first, const TraceHeader& last, int count) {
  if (count < 2) return {};
  return {(last.x - first.x) / (count - 1), (last.y - first.y) / (count - 1)};
}

/// The traces of a file and the distances between them.
struct Geometry {
  TraceGrid grid;
  Step column_step, row_step;

  /// x is the direction in which the x coordinate grows faster, that of the crosslines without coordinates.
  [[nodiscard]] bool columns_along_x() const {
    return grid.rows == 1 || std::abs(column_step.x) >= std::abs(row_step.x);
  }
};

/// Errors: 65 when a trace is further from its place than its coordinates are rounded.
void require_even(const Geometry& geometry, const std::vector<TraceHeader>& traces,
                  const std::filesystem::path& path) {
  const TraceGrid& grid = geometry.grid;
  const TraceHeader& first = grid.at(traces, 0, 0);
  // Half a unit for the trace and half for each end of the line that it stands on.
  const double units = grid.rows == 1 ? 1 : 2;
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      const TraceHeader& trace = grid.at(traces, column, row);
      const double x = first.x + column * geometry.column_step.x + row * geometry.row_step.x;
      const double y = first.y + column * geometry.column_step.y + row * geometry.row_step.y;
      const double tolerance = units * trace.unit * (1 + 1e-6);
      if (std::abs(trace.x - x) > tolerance || std::abs(trace.y - y) > tolerance) {
        const auto cell = static_cast<std::size_t>(row) * grid.columns + column;
        throw model_error(path,
                          text("has trace ", grid.trace_at[cell] + 1, " at (", trace.x, ", ", trace.y,
                               ") m, evenly spaced it would be at (", x, ", ", y, ")"),
                          "give the whole grid or --model-spacing");
      }
    }
  }
}

class SegyModel final : public ModelFile {
 public:
  SegyModel(const ModelSpec& spec, const std::filesystem::path& path)
      : file_(path), header_(read_file_header(file_)) {
    if (!spec.axes.empty()) {
      throw Error(ExitCode::usage,
                  "--model-axes is given with a SEG-Y file, which has depth as its fastest axis",
                  "leave it out");
    }
    Geometry geometry = read_geometry(spec);
    const bool along_x = geometry.columns_along_x();
    grid_ = std::move(geometry.grid);
    layout_.axes = along_x ? Axes{'z', 'x', 'y'} : Axes{'z', 'y', 'x'};
    layout_.dims = {static_cast<int>(header_.samples), grid_.columns, grid_.rows};
    require_dims(spec, layout_, path);
    if (!spec.spacing) {
      const double column = geometry.column_step.length();
      const double row = grid_.rows > 1 ? geometry.row_step.length() : column;
      layout_.spacing =
          along_x ? Point3{column, row, header_.interval} : Point3{row, column, header_.interval};
    }
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
    return header_.format == ibm_format ? ibm_float(bits) : std::bit_cast<float>(bits);
  }

  [[nodiscard]] Geometry read_geometry(const ModelSpec& spec) const {
    const std::uint64_t count = count_traces(file_, header_);
    if (count > std::numeric_limits<int>::max()) {
      throw model_error(file_.path(), text("holds ", count, " traces"), "at most 2^31 - 1 are possible");
    }
    const TraceHeaders headers(file_, header_, count);
    std::vector<TraceHeader> traces;
    traces.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) traces.push_back(headers.read(i));
    Geometry geometry{arrange(traces, file_.path()), {}, {}};
    const TraceGrid& grid = geometry.grid;
    const TraceHeader& first = grid.at(traces, 0, 0);
    geometry.column_step = step_between(first, grid.at(traces, grid.columns - 1, 0), grid.columns);
    geometry.row_step = step_between(first, grid.at(traces, 0, grid.rows - 1), grid.rows);
    if (!spec.spacing) require_even(geometry, traces, file_.path());
    return geometry;
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
