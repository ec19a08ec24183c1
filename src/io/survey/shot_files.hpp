/// The finished shots of a survey's folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/io/gather/gather.hpp"
#include "src/io/segy/segy_headers.hpp"

namespace minimod {

/// "shot_00017.h5", or with another suffix.
[[nodiscard]] std::string shot_file_name(int shot, const char* suffix = ".h5");

struct ShotFile {
  int shot = 0;
  std::filesystem::path path;
  std::size_t receivers = 0, sources = 0;
};

struct SurveyFiles {
  std::vector<ShotFile> shots;  ///< one at least, in the order of their numbers
  ShotGather first;             ///< of the first of them, without its traces
  /// What all have alike of their metadata.
  std::vector<std::pair<std::string, AttributeValue>> shared;
  bool have_water = true, have_stations = true;  ///< all shots: depths of the water, numbers of stations
  std::vector<std::string> notes;  ///< which shots of the survey are not there, or that nobody knows

  [[nodiscard]] std::size_t receivers() const;  ///< of all shots, as the next one
  [[nodiscard]] std::size_t sources() const;
};

/// Finds FOLDER/shots/shot_*.h5 and checks that they belong together: one sampling, signatures of one length,
/// and where the folder has a journal, the size and the checksum that stand there. Errors: 65 shots that
/// differ, with both numbers, or are not what the journal says, or that it has as planned and are not there,
/// unless `allow_missing`; 66 no shots; those of read_gather.
[[nodiscard]] SurveyFiles find_shots(const std::filesystem::path& folder, bool allow_missing = false);

/// The shots of a survey that left SEG-Y alone.
struct SegyShots {
  std::vector<ShotFile> shots;  ///< as those of SurveyFiles, without their sources
  segy::Bytes header;           ///< of the first one's file
  std::vector<std::string> notes;
};

/// Whether there are shots/shot_*.sgy and none in HDF5.
[[nodiscard]] bool has_segy_alone(const std::filesystem::path& folder);
/// The same of these. Errors: 65 also files that are none of ours, are cut short, or differ in sampling or
/// floats; 66.
[[nodiscard]] SegyShots find_segy_shots(const std::filesystem::path& folder, bool allow_missing = false);

}  // namespace minimod
