/// All shots of a survey in one HDF5 file.
#pragma once

#include <filesystem>

#include "src/base/files/output_file.hpp"
#include "src/io/survey/shot_files.hpp"

namespace minimod {

extern const FileKind merged_kind;

/// Writes the shots one after the other, with one of them in memory, and checksummed but not compressed,
/// which would take three times as long: float32 `/traces` [trace, time], float64
/// `/receivers` and `/requested_receivers` [trace, axis], `/source` and `/requested_source` [source, axis],
/// `/wavelet` [source, wavelet_time], `/water_depth` and `/station` [trace] where all shots have them; and
/// where the shots are in them, int64 [shot]: `/shot_id`,
/// `/first_trace`, `/trace_count`, `/first_source`, `/source_count`. Every axis is a dimension scale of its
/// name; attributes are what all shots have alike. Then all is read back and compared with the shots.
/// Errors: 65 a shot that has changed meanwhile, 73, 74, 77, those of read_gather.
void write_merged(const SurveyFiles& survey, const std::filesystem::path& file, bool overwrite);

}  // namespace minimod
