#include "src/job/outputs/outputs.hpp"

#include "src/base/files/file_suffix.hpp"
#include "src/base/option.hpp"
#include "src/io/gather/gather.hpp"
#include "src/job/shot/checkpoint_file.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

/// The file named in `options`, or one in the folder named there, with the suffix `suffix` unless it has one
/// of that kind.
fs::path file_of(const OutputOptions& options, bool segy) {
  const fs::path output = options.gather;
  fs::path file = (names_file(options) ? output : output / options.name).lexically_normal();
  if (is_segy_name(file) != segy) file.replace_extension(segy ? ".sgy" : ".h5");
  return file;
}

/// Those of the inputs go into the gather.
void check_names(const ShotOptions& options) {
  for (const std::string& name : {options.model.source, options.acquisition.wavelet,
                                  options.acquisition.receivers, options.acquisition.inject}) {
    if (is_utf8(name)) continue;
    throw Error(ExitCode::cannot_create,
                text("the name ", shown(name), " is not in UTF-8, so no gather can keep it"),
                "rename the file");
  }
}

/// A gather is never written in them. Error 64.
void refuse_other_formats(const fs::path& output) {
  if (is_hdf5_name(output) || is_segy_name(output)) return;
  throw Error(
      ExitCode::usage,
      text(option("output"), " ", shown(output), " says ", format_said_by(output), ", not HDF5 or SEG-Y"),
      "give FILE.h5, FILE.sgy or a folder");
}

}  // namespace

bool names_file(const OutputOptions& options) {
  std::error_code ignored;
  return !format_said_by(options.gather).empty() && !fs::is_directory(options.gather, ignored);
}

FileFormats formats_of(const OutputOptions& options) {
  const bool named = names_file(options), segy_named = named && is_segy_name(options.gather);
  if (named) refuse_other_formats(options.gather);
  const FileFormats formats = options.formats.value_or(FileFormats{!segy_named, segy_named});
  if (named && !(segy_named ? formats.segy : formats.hdf5)) {
    throw Error(ExitCode::usage,
                text(option("output"), " ", shown(options.gather), " is no name for ", option("format"), " ",
                     formats.segy ? "segy" : "hdf5"),
                text("give both one format, or ", option("format"), " hdf5,segy"));
  }
  if (options.segy_floats && !formats.segy) {
    throw Error(ExitCode::usage, option("segy-floats") + " is given, but no SEG-Y file is asked for",
                text("leave it out, or give ", option("format"), " segy"));
  }
  return formats;
}

fs::path first_output_of(const OutputOptions& options) {
  return file_of(options, !formats_of(options).hdf5);
}

fs::path checkpoints_of(const OutputOptions& options) {
  return first_output_of(options).replace_extension(".checkpoint");
}

ShotOutputs::ShotOutputs(const ShotOptions& options)
    : record_(options.output.json), has_snapshots_(options.snapshots.wanted()) {
  const FileFormats formats = formats_of(options.output);
  if (formats.hdf5) gather_ = file_of(options.output, false);
  if (formats.segy) segy_ = file_of(options.output, true);
  folder_.emplace((formats.hdf5 ? gather_ : segy_).parent_path());
  count_ = int(formats.hdf5) + int(formats.segy) + int(!options.output.json.empty()) +
           int(options.snapshots.wanted());
  check_names(options);
  const CheckpointNames checkpoints = checkpoint_names(checkpoints_of(options.output));
  std::vector<fs::path> files = {gather_, segy_, checkpoints[0], checkpoints[1]};
  if (has_snapshots_) files.insert(files.end(), {snapshots().hdf5, snapshots().xdmf});
  files.push_back(record_);
  check_distinct(files);
  check_distinct({gather_, segy_, options.acquisition.inject});  // a gather, which --force would replace
  for (const fs::path& file : files) claims_.lock(file);
}

void ShotOutputs::check(const MayReplace& may_replace) const {
  if (!gather_.empty()) check_can_create(gather_, may_replace(gather_));
  if (!segy_.empty()) check_can_create(segy_, segy_kind, may_replace(segy_));
  if (has_snapshots_) check_can_create(snapshots(), may_replace(snapshots().hdf5));
  if (!record_.empty())
    check_can_create(record_, json_record, may_replace(gather_.empty() ? segy_ : gather_));
}

}  // namespace minimod
