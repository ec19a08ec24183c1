/// The formats that gathers are written in: one table, which all follows that names, checks or writes their
/// files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/file_coordinates.hpp"
#include "src/base/files/output_file.hpp"
#include "src/io/gather/gather.hpp"
#include "src/io/gather/recorded_traces.hpp"
#include "src/io/shot_identity.hpp"
#include "src/io/survey/shot_files.hpp"

namespace minimod {

/// An option for the files of one format.
struct FormatOption {
  const char* name;                                                      ///< as `option` spells it
  const char* help;                                                      ///< with the default
  void (*check)(const std::string& value, const std::string& spelling);  ///< Error 64 for no such value
};

/// Options of formats: values that were checked, by the options' names.
using FormatOptions = std::map<std::string, std::string, std::less<>>;

/// Figures from which the size of a gather's file follows.
struct GatherSize {
  std::uint64_t receivers = 0, samples = 0, sources = 0;
  std::uint64_t sample_bytes = sizeof(float);  ///< bytes of a sample in the run's precision
  std::uint64_t wavelet_samples = 0;           ///< samples of each source's wavelet; 0: the file has none
  std::uint64_t section_nodes = 0;             ///< nodes of the model's sections
};

/// Limits of what a format can say, so that a run is planned for it or refused before it starts; by itself
/// one says all.
struct FormatLimits {
  /// The longest time step up to `dt` s that it says. Error 65.
  double (*time_step)(double dt) = [](double dt) { return dt; };
  const char* steps_are = "";  ///< words for these steps: "whole microseconds"
  /// s, of which there are whole ones from the first sample to t = 0; 0: any time will do.
  double unit_before_zero = 0;
  /// Error 65 for samples that do not fit.
  void (*require_sampling)(double record_dt, std::int64_t samples) = [](double, std::int64_t) {};
  /// Error 65 for a model of `extent` m, which lies at `place`, whose corners do not fit.
  void (*require_positions)(const FileCoordinates& place, Point3 extent) = [](const FileCoordinates&,
                                                                              Point3) {};
};

/// How a survey's shots become one file of a format.
struct SurveyMerger {
  const FileKind* kind = nullptr;  ///< kind of file that it may replace; null: the format has no such file
  const char* remark = "";         ///< words of the help behind the title
  /// Writes one file of shots in the format that keeps everything; like GatherFormat::write.
  void (*write)(const SurveyFiles& survey, const FormatOptions& options, const std::filesystem::path& file,
                bool overwrite) = nullptr;
  /// Joins shots that are in this format alone, as they are; null where it takes more. Fills in how many
  /// receivers each has, and returns the samples of a trace.
  std::size_t (*join)(std::vector<ShotFile>& shots, const FormatOptions& options,
                      const std::filesystem::path& file, bool overwrite) = nullptr;
};

struct GatherFormat {
  const char* name;                                     ///< name that the user asks for it by: "hdf5"
  const char* title;                                    ///< in a sentence: "HDF5"
  const char* remark;                                   ///< words of the help behind the name; may be empty
  const char* suffix;                                   ///< suffix that its files get
  bool (*is_named)(const std::filesystem::path& file);  ///< whether a suffix says it
  const FileKind* kind;                                 ///< kind of file that its files may replace
  /// The gather of the shot of that number. The file appears under its name only when it is complete, has
  /// been read back and compared, and is on disk. Errors: those of check_target; 65 what the format does not
  /// hold, 74.
  void (*write)(const ShotGather& gather, int shot, const FormatOptions& options,
                const std::filesystem::path& file, bool overwrite);
  RecordedTraces (*read)(const std::filesystem::path& file);  ///< without check of their values
  std::uint64_t (*bytes)(const GatherSize& size);             ///< bytes of a file at most
  bool (*is_of)(const ShotIdentity& shot, const std::filesystem::path& file);  ///< as `is_of` below
  std::span<const FormatOption> options = {};
  FormatLimits limits = {};
  SurveyMerger merger = {};
};

using GatherFormats = std::vector<const GatherFormat*>;

/// All, first the one that keeps everything, which is taken where none is asked for.
[[nodiscard]] const GatherFormats& gather_formats();

/// The one that the file's suffix says; null where it says none.
[[nodiscard]] const GatherFormat* format_named_by(const std::filesystem::path& file,
                                                  const GatherFormats& all = gather_formats());

/// "HDF5 or SEG-Y".
[[nodiscard]] std::string titles_of(const GatherFormats& formats);
/// "FILE.h5 or FILE.sgy".
[[nodiscard]] std::string files_of(const GatherFormats& formats, std::string_view between = " or ");
/// "hdf5,segy".
[[nodiscard]] std::string names_of(const GatherFormats& formats);

/// Formats that a list with commas names, in the order of the table. Error 64 that names the option.
[[nodiscard]] GatherFormats parse_formats(const std::string& names, const std::string& option);

/// An option that is given without its format.
struct StrayOption {
  const GatherFormat* format;
  const char* name;
};
/// The first of the options of `all` that is of none of the formats that are asked for.
[[nodiscard]] std::optional<StrayOption> stray_option(const FormatOptions& options,
                                                      const GatherFormats& asked,
                                                      const GatherFormats& all = gather_formats());

/// Whether the file, a gather or snapshots, says that it is of that shot.
[[nodiscard]] bool is_of(const ShotIdentity& shot, const std::filesystem::path& file);

}  // namespace minimod
