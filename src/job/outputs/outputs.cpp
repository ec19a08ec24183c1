#include "src/job/outputs/outputs.hpp"

#include <algorithm>

#include "src/base/files/file_suffix.hpp"
#include "src/base/option.hpp"
#include "src/io/checkpoint/checkpoint_file.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

/// The file named in `options`, or one in the folder named there, with the suffix of the format unless it has
/// one of that kind.
fs::path file_of(const OutputOptions& options, const GatherFormat& format) {
  const fs::path output = options.gather;
  fs::path file = (names_file(options) ? output : output / options.name).lexically_normal();
  if (!format.is_named(file)) file.replace_extension(format.suffix);
  return file;
}

/// Refuses names of inputs that no gather could keep.
void check_names(const ShotOptions& options) {
  for (const std::string& name :
       {options.model.source, options.acquisition.wavelet, options.acquisition.receivers,
        options.acquisition.inject, options.change.source}) {
    if (is_utf8(name)) continue;
    throw Error(ErrorKind::cannot_create,
                text("the name ", shown(name), " is not in UTF-8, so no gather can keep it"),
                "rename the file");
  }
}

/// A gather is never written in that of the name. Error 64.
[[noreturn]] void refuse_format(const fs::path& output) {
  throw Error(ErrorKind::parameter,
              text(option("output"), " ", shown(output), " says ", format_said_by(output), ", not ",
                   titles_of(gather_formats())),
              text("give ", files_of(gather_formats(), ", "), " or a folder"));
}

}  // namespace

bool names_file(const OutputOptions& options) {
  std::error_code ignored;
  const bool says_format =
      format_named_by(options.gather) != nullptr || !format_said_by(options.gather).empty();
  return says_format && !fs::is_directory(options.gather, ignored);
}

GatherFormats formats_of(const OutputOptions& options) {
  const bool named = names_file(options);
  const GatherFormat* const said = format_named_by(options.gather);
  if (named && said == nullptr) refuse_format(options.gather);
  GatherFormats formats = options.formats.value_or(GatherFormats{named ? said : gather_formats().front()});
  if (named && !std::ranges::count(formats, said)) {
    throw Error(ErrorKind::parameter,
                text(option("output"), " ", shown(options.gather), " is no name for ", option("format"), " ",
                     names_of(formats)),
                text("give both one format, or ", option("format"), " ", names_of(gather_formats())));
  }
  if (const auto stray = stray_option(options.of_formats, formats)) {
    throw Error(ErrorKind::parameter,
                text(option(stray->name), " is given, but no ", stray->format->title, " file is asked for"),
                text("leave it out, or give ", option("format"), " ", stray->format->name));
  }
  return formats;
}

fs::path first_output_of(const OutputOptions& options) {
  return file_of(options, *formats_of(options).front());
}

fs::path checkpoints_of(const OutputOptions& options) {
  return first_output_of(options).replace_extension(".checkpoint");
}

ShotOutputs::ShotOutputs(const ShotOptions& options)
    : record_(options.output.json), has_snapshots_(options.snapshots.wanted()) {
  for (const GatherFormat* format : formats_of(options.output))
    files_.push_back({format, file_of(options.output, *format)});
  folder_.emplace(first().parent_path());
  count_ =
      static_cast<int>(files_.size()) + int(!options.output.json.empty()) + int(options.snapshots.wanted());
  check_names(options);
  const CheckpointNames checkpoints = checkpoint_names(checkpoints_of(options.output));
  std::vector<fs::path> gathers(files_.size());
  std::ranges::transform(files_, gathers.begin(), &GatherFile::path);
  std::vector<fs::path> files = gathers;
  files.insert(files.end(), checkpoints.begin(), checkpoints.end());
  if (has_snapshots_) files.insert(files.end(), {snapshots().hdf5, snapshots().xdmf});
  files.push_back(record_);
  check_distinct(files);
  gathers.emplace_back(options.acquisition.inject);  // a gather, which --force would replace
  check_distinct(gathers);
  for (const fs::path& file : files) claims_.lock(file);
}

void ShotOutputs::check(const MayReplace& may_replace) const {
  for (const auto& [format, path] : files_) check_can_create(path, *format->kind, may_replace(path));
  if (has_snapshots_) check_can_create(snapshots(), may_replace(snapshots().hdf5));
  if (!record_.empty()) check_can_create(record_, json_record, may_replace(first()));
}

}  // namespace minimod
