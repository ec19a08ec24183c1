/// One file of all shots of a survey.
#pragma once

#include <string>

#include "src/io/gather_format.hpp"

namespace minimod {

struct MergeOptions {
  std::string folder;  ///< folder of the survey, with its shots in `shots`
  std::string output;  ///< a name that says a format
  FormatOptions of_formats;
  bool allow_missing = false;  ///< merge what is there of the survey
  bool force = false;          ///< overwrite an existing merged file
};

/// Merges the shots of the survey, one of them in memory at a time. Those that its journal has as planned and
/// that are not there are named: in the error, or in a note where they may be missing.
/// The bytes follow from the shots alone: a call that was killed has left no file, and the next one makes it
/// from its beginning, which takes as long as reading the shots twice and writing them: what a killed one had
/// written would have to be read, too, before it could be trusted. Shots that are in
/// a format alone that can join them are merged to it as they are.
///
/// Errors: 64 an output of another suffix, or options of another format; those of find_shots,
/// find_shots_alone and the format's merger; 73, 74, 77.
void merge_survey(const MergeOptions& options, const GatherFormats& formats = gather_formats());

/// Formats that surveys are merged to.
[[nodiscard]] GatherFormats mergeable(const GatherFormats& formats);

}  // namespace minimod
