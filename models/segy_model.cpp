/// SEG-Y models, revisions 0 and 1: one trace is one depth column, its samples are velocities.
///
/// The sample interval, micro-units by the standard, is read as millimetres of depth (7500 is 7.5 m). Positions
/// of the traces come from the coordinates in their headers (CDP, else source, else receiver group). Where the
/// inline and crossline numbers of all traces fill a rectangle exactly, the model is 3-D; otherwise the traces
/// are a 2-D section in the order of the file.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "models/readers.hpp"
#include "src/input_file.hpp"

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
int int16_at(const std::byte* bytes) { return static_cast<std::int16_t>(big_endian(bytes, 2)); }
int int32_at(const std::byte* bytes) { return static_cast<std::int32_t>(big_endian(bytes, 4)); }

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
    throw model_error(file.path(),
                      text("holds ", count, " traces, its header says ", header.ensemble_traces),
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
    const int scalar = int16_at(&bytes[70]);
    TraceHeader result;
    result.unit = scalar > 0 ? scalar : scalar < 0 ? -1.0 / scalar : 1.0;
    // A division by 10 gives other digits than a product with 0.1.
    const auto metres = [scalar](int value) { return scalar < 0 ? value / -double(scalar) : value * std::max(scalar, 1) * 1.0; };
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
