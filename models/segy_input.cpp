#include "models/segy_input.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "models/readers.hpp"
#include "src/base/ibm_float.hpp"

namespace minimod::segy {

namespace {

int int16_at(const std::byte* bytes) {
  return static_cast<std::int16_t>(big_endian(bytes, 2));
}

InputHeader read_header(const InputFile& file) {
  if (file.size() < file_header_bytes) {
    throw model_error(file.path(),
                      text("holds ", file.size(), " bytes, a SEG-Y header alone is ", file_header_bytes),
                      "give a whole SEG-Y file");
  }
  std::array<std::byte, file_header_bytes - text_header_bytes> bytes{};
  file.read(text_header_bytes, bytes);
  InputHeader header;
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

std::uint64_t count_traces(const InputFile& file, const InputHeader& header) {
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

}  // namespace

std::uint32_t big_endian(const std::byte* bytes, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return value;
}

int TraceWords::int16(std::size_t at) const {
  return int16_at(&bytes_[at - 1]);
}
int TraceWords::uint16(std::size_t at) const {
  return static_cast<int>(big_endian(&bytes_[at - 1], 2));
}
int TraceWords::int32(std::size_t at) const {
  return static_cast<std::int32_t>(big_endian(&bytes_[at - 1], 4));
}
double TraceWords::scaled(std::size_t at, std::size_t scalar) const {
  return segy::scaled(int32(at), int16(scalar));
}

/// A division by 10 gives other digits than a product with 0.1.
double scaled(double value, int scalar) {
  return scalar < 0 ? value / -scalar : value * std::max(scalar, 1);
}

double InputHeader::metres() const {
  return system == 2 ? metres_per_foot : 1;
}

double InputHeader::sample(const std::byte* bytes) const {
  const std::uint32_t bits = big_endian(bytes, sample_bytes);
  return format == ibm_format ? from_ibm(bits) : std::bit_cast<float>(bits);
}

Input::Input(const std::filesystem::path& path)
    : file_(path), header_(read_header(file_)), traces_(count_traces(file_, header_)) {}

TraceWords Input::words(std::uint64_t trace) const {
  TraceWords words;
  file_.read(header_.first_trace + trace * header_.trace_bytes(), words.bytes());
  const auto samples = static_cast<std::uint64_t>(words.uint16(115));
  if (samples != 0 && samples != header_.samples) {
    throw model_error(path(),
                      text("has ", samples, " samples in trace ", trace + 1, " and ", header_.samples,
                           " in its file header"),
                      "give traces of one length");
  }
  return words;
}

void Input::read_samples(std::uint64_t trace, std::span<std::byte> bytes) const {
  file_.read(header_.first_trace + trace * header_.trace_bytes() + trace_header_bytes, bytes);
}

}  // namespace minimod::segy
