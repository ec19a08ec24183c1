#include "src/job/survey/shot_output.hpp"

#include "src/io/survey/shot_files.hpp"

namespace minimod {

namespace fs = std::filesystem;

std::vector<GatherFile> gathers_of_shot(int id, const OutputOptions& output) {
  std::vector<GatherFile> files;
  for (const GatherFormat* format : formats_of(output))
    files.push_back({format, fs::path("shots") / shot_file_name(id, format->suffix)});
  return files;
}

SnapshotPaths snapshots_of_shot(const fs::path& folder, int id, const OutputOptions& output) {
  return SnapshotPaths(folder / gathers_of_shot(id, output).front().path);
}

std::vector<std::string> shot_file_names(int id, const ShotOptions& options) {
  std::vector<std::string> names;
  for (const GatherFile& file : gathers_of_shot(id, options.output)) names.push_back(file.path.string());
  if (options.snapshots.wanted()) {
    const SnapshotPaths snapshots = snapshots_of_shot("", id, options.output);
    names.push_back(snapshots.hdf5.string());
    names.push_back(snapshots.xdmf.string());
  }
  return names;
}

fs::path checkpoints_of_shot(const fs::path& folder, int id) {
  return folder / "checkpoints" / fs::path(shot_file_name(id)).stem();
}

void write_shot(const ShotGather& gather, int id, const fs::path& folder, const OutputOptions& output) {
  for (const auto& [format, path] : gathers_of_shot(id, output))
    format->write(gather, id, output.of_formats, folder / path, true);
}

}  // namespace minimod
