#include "src/job/survey/shot_output.hpp"

#include "src/io/segy/segy_file.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/survey/shot_files.hpp"

namespace minimod {

namespace fs = std::filesystem;

std::vector<std::string> gather_names(int id, const OutputOptions& output) {
  const FileFormats formats = formats_of(output);
  const fs::path hdf5 = fs::path("shots") / shot_file_name(id);
  std::vector<std::string> names;
  if (formats.hdf5) names.push_back(hdf5.string());
  if (formats.segy) names.push_back(fs::path(hdf5).replace_extension(".sgy").string());
  return names;
}

SnapshotPaths snapshots_of_shot(const fs::path& folder, int id, const OutputOptions& output) {
  return SnapshotPaths(folder / gather_names(id, output).front());
}

std::vector<std::string> shot_file_names(int id, const ShotOptions& options) {
  std::vector<std::string> names = gather_names(id, options.output);
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
  for (const std::string& name : gather_names(id, output)) {
    if (fs::path(name).extension() == ".h5") {
      write(gather, folder / name, true);
    } else {
      write_segy(gather, {output.segy_floats.value_or(SegyFloats::ieee), id}, folder / name, true);
    }
  }
}

}  // namespace minimod
