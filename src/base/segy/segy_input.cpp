#include "src/base/segy/segy_input.hpp"

#include <algorithm>
#include <array>

#include "src/base/segy/segy_text.hpp"
#include "src/base/units.hpp"

namespace minimod::segy {

namespace {

/// Extended text headers, where the file header leaves their count to the last one.
int count_text_headers(const InputFile& file) {
  constexpr int most = 1000;
  std::array<std::byte, text_header_bytes> header{};
  for (int count = 1; count <= most; ++count) {
    const std::uint64_t at = file_header_bytes + text_header_bytes * static_cast<std::uint64_t>(count - 1);
    if (at + text_header_bytes > file.size()) break;
    file.read(at, header);
    if (ends_text(header)) return count;
  }
  throw file_error(file.path(), "has extended text headers, none of which is the last, ((SEG: EndText))",
                   "say their number in bytes 3505-3506");
}

using FileHeader = std::array<std::byte, file_header_bytes>;

/// The words that came with revision 2; those of an older file are anything.
void read_revision_2(const FileHeader& bytes, const std::filesystem::path& path, InputHeader& header) {
  constexpr std::uint64_t in_order = 0x01020304;
  const std::uint64_t order = count_at(bytes, file::byte_order);
  if (order != 0 && order != in_order) {
    throw file_error(path, text("has the byte order ", order, " in bytes 3297-3300"),
                     "give a big-endian file (16909060, or 0)");
  }
  const bool is_2_0 = count_at(bytes, file::minor_revision) == 0;
  const std::uint64_t more =
      count_at(bytes, is_2_0 ? file::more_trace_headers_2_0 : file::more_trace_headers);
  if (more != 0) {
    throw file_error(path, text("has ", more, " additional headers a trace"), "give traces with one header");
  }
  if (const int traces = number_at(bytes, file::long_ensemble_traces); traces > 0)
    header.ensemble_traces = traces;
  if (const int samples = number_at(bytes, file::long_samples); samples > 0)
    header.samples = static_cast<std::uint64_t>(samples);
  header.declared_traces = count_at(bytes, file::traces);
  if (const std::uint64_t first = count_at(bytes, file::first_trace); first >= file_header_bytes)
    header.first_trace = first;
  const int trailers = number_at(bytes, file::trailers);
  if (trailers >= 0) {
    header.trailer_bytes = text_header_bytes * static_cast<std::uint64_t>(trailers);
  } else if (header.declared_traces != 0) {
    header.trailer_bytes.reset();
  } else {
    throw file_error(path, "has an unknown number of trailers after an unknown number of traces",
                     "say either in bytes 3529-3532 or 3513-3520");
  }
}

InputHeader read_header(const InputFile& file) {
  if (file.size() < file_header_bytes) {
    throw file_error(file.path(),
                     text("holds ", file.size(), " bytes, a SEG-Y header alone is ", file_header_bytes),
                     "give a whole SEG-Y file");
  }
  FileHeader bytes{};
  file.read(0, bytes);
  InputHeader header;
  header.ensemble_traces = static_cast<int>(count_at(bytes, file::ensemble_traces));
  header.interval = static_cast<int>(count_at(bytes, file::interval));
  header.system = number_at(bytes, file::system);
  header.samples = count_at(bytes, file::samples);
  header.revision = static_cast<int>(count_at(bytes, file::revision));
  const int format = number_at(bytes, file::format), extra_headers = number_at(bytes, file::text_headers);
  header.floats = static_cast<SegyFloats>(format);
  if (name_in(segy_float_names, header.floats).empty() || header.revision > 2 || extra_headers < -1) {
    throw file_error(file.path(),
                     text("has a SEG-Y header of revision ", header.revision, ", sample format ", format,
                          ", ", extra_headers, " extended headers"),
                     "give revision 0, 1 or 2 with format 1 (IBM) or 5 (IEEE)");
  }
  if (header.system < 0 || header.system > 2) {
    throw file_error(file.path(), text("has the measurement system ", header.system),
                     "correct bytes 3255-3256: 1 for metres, 2 for feet");
  }
  const int text_headers = extra_headers < 0 ? count_text_headers(file) : extra_headers;
  header.first_trace = file_header_bytes + text_header_bytes * static_cast<std::uint64_t>(text_headers);
  header.trailer_bytes = 0;
  if (header.revision == 2) read_revision_2(bytes, file.path(), header);
  if (header.samples != 0) return header;
  throw file_error(file.path(), "has 0 samples a trace in its SEG-Y header", "give a whole SEG-Y file");
}

std::uint64_t count_traces(const InputFile& file, const InputHeader& header) {
  const std::uint64_t body = file.size() > header.first_trace ? file.size() - header.first_trace : 0;
  const std::uint64_t trailers = header.trailer_bytes.value_or(0);
  const std::uint64_t held = (body > trailers ? body - trailers : 0) / header.trace_bytes();
  const std::uint64_t count = header.trailer_bytes ? held : std::min(held, header.declared_traces);
  const std::uint64_t whole = header.first_trace + count * header.trace_bytes() + trailers;
  if (count == 0 || (header.trailer_bytes && whole != file.size())) {
    throw file_error(file.path(),
                     text("holds ", file.size(), " bytes, ", count, " whole traces of ", header.samples,
                          " samples end at byte ", whole),
                     "the file is truncated or its header wrong: make it anew");
  }
  // The header of a truncated file still tells how many traces there were.
  const std::uint64_t said =
      std::max(header.declared_traces, static_cast<std::uint64_t>(header.ensemble_traces));
  if (count < said) {
    throw file_error(file.path(), text("holds ", count, " traces, its header says ", said),
                     "the file is truncated: make it anew");
  }
  return count;
}

}  // namespace

double InputHeader::metres() const {
  return system == 2 ? metres_per_foot : 1;
}

Input::Input(const std::filesystem::path& path)
    : file_(path), header_(read_header(file_)), traces_(count_traces(file_, header_)) {}

TraceWords Input::words(std::uint64_t trace) const {
  TraceWords words;
  file_.read(header_.first_trace + trace * header_.trace_bytes(), words);
  const auto samples = count_at(words, trace::samples);
  if (samples != 0 && samples != header_.samples) {
    throw file_error(path(),
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
