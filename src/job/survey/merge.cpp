#include "src/job/survey/merge.hpp"

#include <iostream>

#include "src/base/error.hpp"
#include "src/base/files/file_suffix.hpp"
#include "src/base/files/output_claims.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/io/survey/folder_lock.hpp"
#include "src/io/survey/shot_files.hpp"

namespace minimod {
namespace {

/// Error 73 where shots are still being made, unless some may be missing.
void check_rest(const MergeOptions& options) {
  if (options.allow_missing) return;
  const auto owner = FolderLock::owner_of(options.folder);
  if (!owner) return;
  throw Error(ErrorKind::cannot_create, text(shown(options.folder), " is in use by ", *owner),
              "wait for its end, or give " + option("allow-missing"));
}

void print_merged(const MergeOptions& options, const std::vector<std::string>& notes,
                  const std::vector<ShotFile>& shots, std::size_t samples) {
  tell(notes);
  std::cout << "survey " << options.output << ": " << shots.size() << " shots, " << receivers_of(shots)
            << " traces of " << samples << " samples\n";
}

/// Format that the name of the output says. Error 64.
const GatherFormat& format_of(const MergeOptions& options, const GatherFormats& mergeable) {
  const GatherFormat* const found = format_named_by(options.output, mergeable);
  if (found == nullptr) {
    const std::string_view said = format_said_by(options.output);
    const std::string what = said.empty() ? "no format" : text(said, ", not ", titles_of(mergeable));
    throw Error(ErrorKind::parameter,
                options.output.empty() ? "no output is given"
                                       : text(option("output"), " ", shown(options.output), " says ", what),
                text("give ", option("output"), " ", files_of(mergeable)));
  }
  if (const auto stray = stray_option(options.of_formats, {found}, mergeable)) {
    throw Error(ErrorKind::parameter, text(option(stray->name), " is given with an ", found->title, " file"),
                text("leave it out, or give FILE", stray->format->suffix));
  }
  return *found;
}

}  // namespace

GatherFormats mergeable(const GatherFormats& formats) {
  GatherFormats some = formats;
  std::erase_if(some, [](const GatherFormat* format) { return format->merger.kind == nullptr; });
  return some;
}

void merge_survey(const MergeOptions& options, const GatherFormats& formats) {
  const GatherFormats mergers = mergeable(formats);
  const GatherFormat& format = format_of(options, mergers);
  const SurveyMerger& merger = format.merger;
  check_rest(options);
  OutputClaims claims;
  claims.add(options.output, *merger.kind, options.force);
  if (merger.join != nullptr && has_shots_alone(options.folder, format)) {
    ShotsAlone survey = find_shots_alone(options.folder, format, options.allow_missing);
    const std::size_t samples = merger.join(survey.shots, options.of_formats, options.output, options.force);
    return print_merged(options, survey.notes, survey.shots, samples);
  }
  const SurveyFiles survey = find_shots(options.folder, options.allow_missing);
  merger.write(survey, options.of_formats, options.output, options.force);
  print_merged(options, survey.notes, survey.shots, survey.first.samples);
}

}  // namespace minimod
