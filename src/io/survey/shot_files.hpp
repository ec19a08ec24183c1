/// The finished shots of a survey's folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/io/gather/gather.hpp"

namespace minimod {

struct GatherFormat;

/// "shot_00017.h5", or with another suffix.
[[nodiscard]] std::string shot_file_name(int shot, const char* suffix = ".h5");

struct ShotFile {
  int shot = 0;
  std::filesystem::path path;
  std::size_t receivers = 0, sources = 0;
};

/// Receivers of all of them together.
[[nodiscard]] std::size_t receivers_of(const std::vector<ShotFile>& shots);

struct SurveyFiles {
  std::vector<ShotFile> shots;  ///< one at least, in the order of their numbers
  ShotGather first;             ///< gather of the first of them, without its traces
  /// Metadata that all have alike.
  std::vector<std::pair<std::string, AttributeValue>> shared;
  bool have_water = true, have_stations = true;  ///< all shots: depths of the water, numbers of stations
  std::vector<std::string> notes;                ///< notes of shots that are not there, or that nobody knows

  [[nodiscard]] std::size_t receivers() const;  ///< receivers of all shots, as sources()
  [[nodiscard]] std::size_t sources() const;
};

/// Finds FOLDER/shots/shot_*.h5 and checks that they belong together: one sampling, signatures of one length,
/// and where the folder has a journal, the size and the checksum that stand there. Errors: 65 shots that
/// differ, with both numbers, or are not what the journal says, or that it has as planned and are not there,
/// unless `allow_missing`; 66 no shots; those of read_gather.
[[nodiscard]] SurveyFiles find_shots(const std::filesystem::path& folder, bool allow_missing = false);

/// Whether there are shots in that format and none in the one that keeps everything.
[[nodiscard]] bool has_shots_alone(const std::filesystem::path& folder, const GatherFormat& format);

/// The shots of such a survey, as those of SurveyFiles, of whose files nothing was read.
struct ShotsAlone {
  std::vector<ShotFile> shots;
  std::vector<std::string> notes;
};
/// Errors: 65 as those of find_shots about the journal.
[[nodiscard]] ShotsAlone find_shots_alone(const std::filesystem::path& folder, const GatherFormat& format,
                                          bool allow_missing);

}  // namespace minimod
