#include "src/shot/outputs.hpp"

#include "src/shot/gather.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

/// The file itself where the name is one of an HDF5 file and no folder has it.
fs::path gather_of(const OutputOptions& options) {
  const fs::path output = options.gather;
  std::error_code ignored;
  const bool names_file = output.extension() == ".h5" && !fs::is_directory(output, ignored);
  return (names_file ? output : output / options.name).lexically_normal();
}

/// Those of the inputs go into the gather.
void check_names(const ShotOptions& options) {
  for (const std::string& name :
       {options.model.source, options.acquisition.wavelet, options.acquisition.receivers}) {
    if (is_utf8(name)) continue;
    throw Error(ExitCode::cannot_create,
                text("the name ", shown(name), " is not in UTF-8, so no gather can keep it"),
                "rename the file");
  }
}

}  // namespace

ShotOutputs::ShotOutputs(const ShotOptions& options)
    : gather_(gather_of(options.output)), folder_(gather_.parent_path()) {
  const bool force = options.output.force;
  check_names(options);
  check_can_create(gather_, force);
  if (options.output.json.empty()) return;
  check_distinct({gather_, options.output.json});
  check_can_create(options.output.json, json_record, force);
}

}  // namespace minimod
