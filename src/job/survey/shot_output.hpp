/// Where a survey's folder keeps what its shots leave.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/io/gather/gather.hpp"
#include "src/io/snapshots/snapshot_file.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/plan/shot_options.hpp"

namespace minimod {

/// In the survey's folder: "shots/shot_00017.h5" and "shots/shot_00017.sgy", those of the formats that are
/// asked for.
[[nodiscard]] std::vector<GatherFile> gathers_of_shot(int id, const OutputOptions& output);
/// All that the shot leaves: these, and its snapshots where it has some.
[[nodiscard]] std::vector<std::string> shot_file_names(int id, const ShotOptions& options);
[[nodiscard]] SnapshotPaths snapshots_of_shot(const std::filesystem::path& folder, int id,
                                              const OutputOptions& output);

/// Beginning of its checkpoints' names.
[[nodiscard]] std::filesystem::path checkpoints_of_shot(const std::filesystem::path& folder, int id);

/// Writes the gather of a shot, over what is there. Errors: those of GatherFormat::write.
void write_shot(const ShotGather& gather, int id, const std::filesystem::path& folder,
                const OutputOptions& output);

}  // namespace minimod
