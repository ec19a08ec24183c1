/// The formats that gathers are written in: one table, which all follows that names, checks or writes their
/// files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/file_coordinates.hpp"
#include "src/base/files/output_file.hpp"
#include "src/io/gather/gather.hpp"
#include "src/io/segy/segy_file.hpp"
#include "src/io/shot_identity.hpp"

namespace minimod {

/// What a user may say of single formats.
struct FormatOptions {
  std::optional<SegyFloats> segy_floats;
};

/// What the size of a gather's file follows from.
struct GatherSize {
  std::uint64_t receivers = 0, samples = 0, sources = 0;
  std::uint64_t sample_bytes = sizeof(float);  ///< of the run's precision
  std::uint64_t wavelet_samples = 0;           ///< of each source; 0: the file has none
  std::uint64_t section_nodes = 0;             ///< of the model's sections
};

/// What a format cannot say, so that a run is planned for it or refused before it starts; by itself one says
/// all.
struct FormatLimits {
  /// The longest time step up to `dt` s that it says. Error 65.
  double (*time_step)(double dt) = [](double dt) { return dt; };
  const char* steps_are = "";  ///< which these are: "whole microseconds"
  /// s, of which there are whole ones from the first sample to t = 0; 0: any time will do.
  double unit_before_zero = 0;
  /// Error 65 for samples that do not fit.
  void (*require_sampling)(double record_dt, std::int64_t samples) = [](double, std::int64_t) {};
  /// Error 65 for a model of `extent` m, which lies at `place`, whose corners do not fit.
  void (*require_positions)(const FileCoordinates& place, Point3 extent) = [](const FileCoordinates&,
                                                                              Point3) {};
};

struct GatherFormat {
  const char* name;                                     ///< that the user asks for it by: "hdf5"
  const char* title;                                    ///< in a sentence: "HDF5"
  const char* remark;                                   ///< what the help says behind the name; may be empty
  const char* suffix;                                   ///< that its files get
  bool (*is_named)(const std::filesystem::path& file);  ///< whether a suffix says it
  const FileKind* kind;                                 ///< what its files may replace
  /// The gather of the shot of that number. The file appears under its name only when it is complete, has
  /// been read back and compared, and is on disk. Errors: those of check_target; 65 what the format does not
  /// hold, 74.
  void (*write)(const ShotGather& gather, int shot, const FormatOptions& options,
                const std::filesystem::path& file, bool overwrite);
  std::uint64_t (*bytes)(const GatherSize& size);                              ///< of a file at most
  bool (*is_of)(const ShotIdentity& shot, const std::filesystem::path& file);  ///< as `is_of` below
  /// Error 64 where options say something of the format, which is not asked for.
  void (*require_unasked)(const FormatOptions& options) = [](const FormatOptions&) {};
  FormatLimits limits = {};
};

using GatherFormats = std::vector<const GatherFormat*>;

extern const GatherFormat hdf5_gathers, segy_gathers;

/// All, first the one that keeps everything, which is taken where none is asked for.
[[nodiscard]] const GatherFormats& gather_formats();

/// The one that the file's suffix says; null where it says none.
[[nodiscard]] const GatherFormat* format_named_by(const std::filesystem::path& file);

/// "HDF5 or SEG-Y".
[[nodiscard]] std::string titles_of(const GatherFormats& formats);
/// "FILE.h5 or FILE.sgy".
[[nodiscard]] std::string files_of(const GatherFormats& formats, std::string_view between = " or ");
/// "hdf5,segy".
[[nodiscard]] std::string names_of(const GatherFormats& formats);

/// Those that a list with commas names, in the order of the table. Error 64 that names the option.
[[nodiscard]] GatherFormats parse_formats(const std::string& names, const std::string& option);

/// Whether the file, a gather or snapshots, says that it is of that shot.
[[nodiscard]] bool is_of(const ShotIdentity& shot, const std::filesystem::path& file);

}  // namespace minimod
