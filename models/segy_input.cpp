#include "models/segy_input.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "models/readers.hpp"
#include "src/base/files/ibm_float.hpp"

namespace minimod::segy {

namespace {

int int16_at(const std::byte* bytes) {
  return static_cast<std::int16_t>(big_endian(bytes, 2));
}

/// Whether a text header in EBCDIC or ASCII has ((SEG: EndText)), in any case, with blanks anywhere.
bool ends_text(std::span<const std::byte> header) {
  struct Code {
    int blank, letter;  ///< a blank; the bit in which its capital and small letters differ
    std::string_view end;
  };
  constexpr Code codes[] = {{0x20, 0x20, "((seg:endtext))"},
                            {0x40, 0x40, "\x4d\x4d\xe2\xc5\xc7\x7a\xc5\xd5\xc4\xe3\xc5\xe7\xe3\x5d\x5d"}};
  return std::ranges::any_of(codes, [header](const Code& code) {
    std::string words;
    for (const std::byte b : header) {
      const int value = std::to_integer<int>(b);
      if (value != code.blank) words += static_cast<char>(value | code.letter);
    }
    return words.find(code.end) != std::string::npos;
  });
}

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
  throw model_error(file.path(), "has extended text headers, none of which is the last, ((SEG: EndText))",
                    "say their number in bytes 3505-3506");
}

using FileWords = std::array<std::byte, file_header_bytes - text_header_bytes>;

std::uint64_t word_of_eight(const FileWords& bytes, std::size_t at) {
  return std::uint64_t{big_endian(&bytes[at], 4)} << 32 | big_endian(&bytes[at + 4], 4);
}

/// The words that came with revision 2; those of an older file are anything.
void read_revision_2(const FileWords& bytes, const std::filesystem::path& path, InputHeader& header) {
  constexpr std::uint32_t in_order = 0x01020304;
  const std::uint32_t order = big_endian(&bytes[96], 4);
  if (order != 0 && order != in_order) {
    throw model_error(path, text("has the byte order ", order, " in bytes 3297-3300"),
                      "give a big-endian file (16909060, or 0)");
  }
  const int size = bytes[301] == std::byte{0} ? 4 : 2;  // in revision 2.0, and from 2.1 on
  if (const std::uint32_t more = big_endian(&bytes[306], size); more != 0) {
    throw model_error(path, text("has ", more, " additional headers a trace"), "give traces with one header");
  }
  if (const auto traces = static_cast<int>(big_endian(&bytes[60], 4)); traces > 0)
    header.ensemble_traces = traces;
  if (const auto samples = static_cast<std::int32_t>(big_endian(&bytes[68], 4)); samples > 0) {
    header.samples = static_cast<std::uint64_t>(samples);
  }
  header.declared_traces = word_of_eight(bytes, 312);
  if (const std::uint64_t first = word_of_eight(bytes, 320); first >= file_header_bytes)
    header.first_trace = first;
  const auto trailers = static_cast<std::int32_t>(big_endian(&bytes[328], 4));
  if (trailers >= 0) {
    header.trailer_bytes = text_header_bytes * static_cast<std::uint64_t>(trailers);
  } else if (header.declared_traces != 0) {
    header.trailer_bytes.reset();
  } else {
    throw model_error(path, "has an unknown number of trailers after an unknown number of traces",
                      "say either in bytes 3529-3532 or 3513-3520");
  }
}

InputHeader read_header(const InputFile& file) {
  if (file.size() < file_header_bytes) {
    throw model_error(file.path(),
                      text("holds ", file.size(), " bytes, a SEG-Y header alone is ", file_header_bytes),
                      "give a whole SEG-Y file");
  }
  FileWords bytes{};
  file.read(text_header_bytes, bytes);
  InputHeader header;
  header.ensemble_traces = static_cast<int>(big_endian(&bytes[12], 2));
  header.interval = static_cast<int>(big_endian(&bytes[16], 2));
  header.system = int16_at(&bytes[54]);
  header.samples = big_endian(&bytes[20], 2);
  header.format = int16_at(&bytes[24]);
  header.revision = static_cast<int>(big_endian(&bytes[300], 1));
  const int extra_headers = int16_at(&bytes[304]);
  if ((header.format != ibm_format && header.format != ieee_format) || header.revision > 2 ||
      extra_headers < -1) {
    throw model_error(file.path(),
                      text("has a SEG-Y header of revision ", header.revision, ", sample format ",
                           header.format, ", ", extra_headers, " extended headers"),
                      "give revision 0, 1 or 2 with format 1 (IBM) or 5 (IEEE)");
  }
  if (header.system < 0 || header.system > 2) {
    throw model_error(file.path(), text("has the measurement system ", header.system),
                      "correct bytes 3255-3256: 1 for metres, 2 for feet");
  }
  const int text_headers = extra_headers < 0 ? count_text_headers(file) : extra_headers;
  header.first_trace = file_header_bytes + text_header_bytes * static_cast<std::uint64_t>(text_headers);
  header.trailer_bytes = 0;
  if (header.revision == 2) read_revision_2(bytes, file.path(), header);
  if (header.samples != 0) return header;
  throw model_error(file.path(), "has 0 samples a trace in its SEG-Y header", "give a whole SEG-Y file");
}

std::uint64_t count_traces(const InputFile& file, const InputHeader& header) {
  const std::uint64_t body = file.size() > header.first_trace ? file.size() - header.first_trace : 0;
  const std::uint64_t trailers = header.trailer_bytes.value_or(0);
  const std::uint64_t held = (body > trailers ? body - trailers : 0) / header.trace_bytes();
  const std::uint64_t count = header.trailer_bytes ? held : std::min(held, header.declared_traces);
  const std::uint64_t whole = header.first_trace + count * header.trace_bytes() + trailers;
  if (count == 0 || (header.trailer_bytes && whole != file.size())) {
    throw model_error(file.path(),
                      text("holds ", file.size(), " bytes, ", count, " whole traces of ", header.samples,
                           " samples end at byte ", whole),
                      "the file is truncated or its header wrong: make it anew");
  }
  // The header of a truncated file still tells how many traces there were.
  const std::uint64_t said =
      std::max(header.declared_traces, static_cast<std::uint64_t>(header.ensemble_traces));
  if (count < said) {
    throw model_error(file.path(), text("holds ", count, " traces, its header says ", said),
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
