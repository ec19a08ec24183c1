/// One file of all shots of a survey.
#pragma once

#include <optional>
#include <string>

#include "src/io/segy/segy_file.hpp"

namespace minimod {

struct MergeOptions {
  std::string folder;  ///< of the survey, with its shots in `shots`
  std::string output;  ///< a name that ends in .h5, .sgy or .segy
  std::optional<SegyFloats> segy_floats;
  bool allow_missing = false;  ///< merge what is there of the survey
  bool force = false;          ///< overwrite an existing merged file
};

/// Merges the shots of the survey, one of them in memory at a time. Those that its journal has as planned and
/// that are not there are named: in the error, or in a note where they may be missing.
/// The bytes follow from the shots alone: a call that was killed has left no file, and the next one makes it
/// from its beginning, which takes as long as reading the shots twice and writing them: what a killed one had
/// written would have to be read, too, before it could be trusted. Shots that are SEG-Y alone are merged to
/// SEG-Y, trace by trace as they are.
///
/// Errors: 64 an output of another suffix, or --segy-floats without SEG-Y or other than those of shots that
/// are SEG-Y alone; those of find_shots and find_segy_shots; 65 shots that SEG-Y cannot hold; 73, 74, 77.
void merge_survey(const MergeOptions& options);

}  // namespace minimod
