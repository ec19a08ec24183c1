/// The sources of a survey: which shots there are, and what each of them feeds where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/io/gather/shot_geometry.hpp"

namespace minimod {

/// Sources of a specification, by shots.
struct SourceList {
  std::vector<ShotGeometry> shots;  ///< in the order of their numbers, as it was given, m
  std::string note;                 ///< note for the user about the file; empty: none
};

/// The shots that `spec` names:
///
/// - `line:…` and `grid:…`, as receivers have them: a shot a position, counted from 1;
/// - a file of field data, as read_field_records has it (field_geometry.hpp), with the stations of each
///   record's traces as receivers;
/// - a text file as receivers have it, a source a line. Under a header it may have a column `wavelet`, whose
///   fields are as --wavelet has it or empty, a column `amplitude`, by which the wavelet is multiplied (1
///   where it is empty), and a column `shot` with the numbers of the shots: sources of one number are one
///   shot and stand behind each other. Without that column each source is a shot, from 1 on.
///
/// `wavelet` is for sources that name none. Errors: 64 a wrong spec; 66 a missing file; 65 a wrong line, an
/// amplitude of 0, a number that is negative or comes again behind others, a source that its shot has twice,
/// as file:line:column; 71 more than `memory_limit` bytes of positions, before anything is allocated.
[[nodiscard]] SourceList parse_sources(const std::string& spec, const std::string& wavelet,
                                       std::int64_t memory_limit);

}  // namespace minimod
