/// SEG-Y files, revisions 0 to 2, as they are read, whatever their traces are.
/// src/pictures/plotting/segy_file.py has the same rules; a test holds both to one set of files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "src/base/files/input_file.hpp"

namespace minimod::segy {

inline constexpr std::size_t text_header_bytes = 3200;
inline constexpr std::size_t file_header_bytes = 3600;
inline constexpr std::size_t trace_header_bytes = 240;
inline constexpr std::size_t sample_bytes = 4;
inline constexpr int ibm_format = 1, ieee_format = 5;

/// The unsigned number of `count` bytes, 4 at most.
[[nodiscard]] std::uint32_t big_endian(const std::byte* bytes, int count);

/// The header of one trace, whose bytes the standard counts from 1.
class TraceWords {
 public:
  [[nodiscard]] int int16(std::size_t at) const;
  [[nodiscard]] int uint16(std::size_t at) const;
  [[nodiscard]] int int32(std::size_t at) const;
  /// The number at `at` by the scalar at `scalar`, 69 or 71: one below 0 divides, and 0 counts as 1.
  [[nodiscard]] double scaled(std::size_t at, std::size_t scalar) const;
  [[nodiscard]] std::span<std::byte> bytes() { return bytes_; }

 private:
  std::array<std::byte, trace_header_bytes> bytes_{};
};

/// A number by a scalar of a header.
[[nodiscard]] double scaled(double value, int scalar);

/// What the file header says that matters here.
struct InputHeader {
  int ensemble_traces = 0;  ///< traces of one ensemble
  int interval = 0;         ///< us, or what else the file has there; 0 where it does not say
  int system = 0;           ///< of measurement: 0 not said, 1 metres, 2 feet
  std::uint64_t samples = 0;
  int format = 0;
  int revision = 0;
  std::uint64_t first_trace = 0;               ///< byte
  std::uint64_t declared_traces = 0;           ///< of the file, 0 where it does not say
  std::optional<std::uint64_t> trailer_bytes;  ///< after the traces; nothing where the file does not say

  [[nodiscard]] double metres() const;  ///< in a unit of length
  /// The number that a sample's bytes are.
  [[nodiscard]] double sample(const std::byte* bytes) const;
  [[nodiscard]] std::uint64_t trace_bytes() const { return trace_header_bytes + sample_bytes * samples; }
};

/// A file, open. Extended text headers are those that the header counts, or as many as there are up to the
/// last by its content; trailers are passed over. Errors: those of InputFile; 65 a header of another revision
/// or format than 1 (IBM) and 5 (IEEE), little-endian bytes, several headers a trace, a file that does not
/// end with a trace or the trailers, or ends before the first ensemble does.
class Input {
 public:
  explicit Input(const std::filesystem::path& path);

  [[nodiscard]] const InputHeader& header() const { return header_; }
  [[nodiscard]] std::uint64_t traces() const { return traces_; }
  /// Header words of the trace of that number, from 0. Errors: 65 one of another length than the file's; 74.
  [[nodiscard]] TraceWords words(std::uint64_t trace) const;
  /// The first bytes of its samples, as they stand. Error 74.
  void read_samples(std::uint64_t trace, std::span<std::byte> bytes) const;
  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }

 private:
  InputFile file_;
  InputHeader header_;
  std::uint64_t traces_;
};

}  // namespace minimod::segy
