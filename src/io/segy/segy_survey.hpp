/// One SEG-Y file of all shots of a survey.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "src/base/segy/segy_samples.hpp"
#include "src/io/survey/shot_files.hpp"

namespace minimod {

/// Writes the shots one after the other, with one of them in memory. Errors: 65 shots that SEG-Y cannot hold;
/// 73, 74, 77; those of read_gather.
void merge_to_segy(const SurveyFiles& survey, SegyFloats floats, const std::filesystem::path& file,
                   bool overwrite);

/// Joins shots that are SEG-Y alone, trace by trace as they are, numbered anew. Fills in how many
/// receivers each has, and returns the samples of a trace. Errors: 64 other floats than theirs; 65 files that
/// are none of ours, are cut short, or differ in sampling or floats; 73, 74, 77.
std::size_t join_segy(std::vector<ShotFile>& shots, std::optional<SegyFloats> floats,
                      const std::filesystem::path& file, bool overwrite);

}  // namespace minimod
