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
#include "src/base/segy/segy_samples.hpp"

namespace minimod::segy {

/// The header of one trace.
using TraceWords = std::array<std::byte, trace_header_bytes>;

/// The words of the file header that matter here.
struct InputHeader {
  int ensemble_traces = 0;  ///< traces of one ensemble
  int interval = 0;         ///< us, or what else the file has there; 0 where it does not say
  int system = 0;           ///< system of measurement: 0 not said, 1 metres, 2 feet
  std::uint64_t samples = 0;
  SegyFloats floats = SegyFloats::ieee;
  int revision = 0;
  std::uint64_t first_trace = 0;               ///< byte
  std::uint64_t declared_traces = 0;           ///< traces of the file, 0 where it does not say
  std::optional<std::uint64_t> trailer_bytes;  ///< after the traces; nothing where the file does not say

  [[nodiscard]] double metres() const;  ///< in a unit of length
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
