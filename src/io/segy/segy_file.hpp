/// Shot gathers as SEG-Y, revision 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "src/base/files/input_file.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/segy/segy_samples.hpp"
#include "src/io/gather/gather.hpp"
#include "src/io/gather/shot_geometry.hpp"

namespace minimod {

struct SegyOptions {
  SegyFloats floats = SegyFloats::ieee;
  int shot = first_shot_number;  ///< the field record
};

/// A SEG-Y file that minimod wrote: its text header begins so.
extern const FileKind segy_kind;

/// Writes `gather` as SEG-Y: big-endian, lengths in m, times in us; src/io/segy/segy_headers.hpp says what
/// stands in which header. The file appears under its name only when it is complete, has been read back and
/// compared, and is on disk.
///
/// Errors: 65 a gather that the headers cannot hold (require_segy tells before a run) or, as IBM floats, a
/// value that is not finite; those of check_target; 74 when writing fails.
void write_segy(const ShotGather& gather, const SegyOptions& options, const std::filesystem::path& file,
                bool overwrite);

/// Contents of a file of shots, for its header.
struct SegyContents {
  int shots = 1;
  std::size_t traces_per_shot = 0;  ///< 0 where they differ
};

/// A SEG-Y file of several shots in the making.
class SegyWriter {
 public:
  /// The facts of the text header are those of `first`, the first shot. Errors: as write_segy.
  SegyWriter(const std::filesystem::path& target, SegyFloats floats, const ShotGather& first,
             const SegyContents& contents);

  /// With that header as it is, before traces that are there.
  SegyWriter(const std::filesystem::path& target, const std::vector<std::byte>& header);

  /// Writes the traces of the shot of that number and reads them back. Errors: 65, 74.
  void append(const ShotGather& gather, int shot);
  /// The same of `count` traces of another file of the sampling of this one, which are numbered anew.
  void append(const InputFile& file, int shot, std::size_t count);

  /// Puts the file on disk and gives it its name.
  void publish();

 private:
  using Trace = std::function<std::vector<std::byte>(std::size_t i, std::int64_t number)>;
  void append(const Trace& trace, int shot, std::size_t count);
  void write(const std::vector<std::byte>& bytes);
  void flush();
  void require_written() const;

  TemporaryFile temporary_;
  std::filesystem::path target_;
  SegyFloats floats_;
  std::size_t bytes_of_trace_;
  std::ofstream stream_;
  std::int64_t traces_ = 0;  ///< written
  std::uint64_t bytes_ = 0;
};

}  // namespace minimod
