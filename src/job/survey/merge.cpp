#include "src/job/survey/merge.hpp"

#include <algorithm>
#include <iostream>

#include "src/base/error.hpp"
#include "src/base/files/file_suffix.hpp"
#include "src/base/files/output_claims.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/io/gather_format.hpp"
#include "src/io/survey/folder_lock.hpp"
#include "src/io/survey/merged_file.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

SegyContents contents_of(const std::vector<ShotFile>& shots) {
  const std::size_t count = shots.front().receivers;
  const auto is_alike = [&](const ShotFile& file) { return file.receivers == count; };
  return {static_cast<int>(shots.size()), std::ranges::all_of(shots, is_alike) ? count : 0};
}

void check_room_for(const MergeOptions& options, std::size_t traces, std::size_t samples) {
  constexpr std::size_t sample = sizeof(float);
  check_room(options.output, segy::file_header_bytes + traces * (segy::trace_header_bytes + samples * sample),
             "make room, or choose another output");
}

/// Error 73 where shots are still being made, unless some may be missing.
void check_rest(const MergeOptions& options) {
  if (options.allow_missing) return;
  const auto owner = FolderLock::owner_of(options.folder);
  if (!owner) return;
  throw Error(ExitCode::cannot_create, text(shown(options.folder), " is in use by ", *owner),
              "wait for its end, or give " + option("allow-missing"));
}

void publish(SegyWriter& writer, const MergeOptions& options) {
  check_target(options.output, segy_kind, options.force);  // it may have come into being meanwhile
  writer.publish();
}

void print_merged(const MergeOptions& options, const std::vector<std::string>& notes, std::size_t shots,
                  std::size_t traces, std::size_t samples) {
  tell(notes);
  std::cout << "survey " << options.output << ": " << shots << " shots, " << traces << " traces of "
            << samples << " samples\n";
}

void write_merged_segy(const SurveyFiles& survey, const MergeOptions& options) {
  check_room_for(options, survey.receivers(), survey.first.samples);
  SegyWriter writer(options.output, options.segy_floats.value_or(SegyFloats::ieee), survey.first,
                    contents_of(survey.shots));
  for (const ShotFile& file : survey.shots) writer.append(read_gather(file.path), file.shot);
  publish(writer, options);
}

/// The traces as they are, numbered anew.
void join_segy(const MergeOptions& options) {
  SegyShots survey = find_segy_shots(options.folder, options.allow_missing);
  const segy::FileFacts facts = segy::facts_of(survey.header);
  if (options.segy_floats.value_or(facts.floats) != facts.floats) {
    throw Error(ExitCode::usage,
                option("segy-floats") + " says others than the shots have, which are SEG-Y alone",
                "leave it out");
  }
  segy::describe_shots(survey.header, contents_of(survey.shots));
  std::size_t traces = 0;
  for (const ShotFile& file : survey.shots) traces += file.receivers;
  check_room_for(options, traces, facts.samples);
  SegyWriter writer(options.output, survey.header);
  for (const ShotFile& file : survey.shots) writer.append(InputFile(file.path), file.shot, file.receivers);
  publish(writer, options);
  print_merged(options, survey.notes, survey.shots.size(), traces, facts.samples);
}

void write_merged_hdf5(const SurveyFiles& survey, const MergeOptions& options) {
  write_merged(survey, options.output, options.force);
}

/// How a survey is merged to a format.
struct Merger {
  const GatherFormat* format;
  const FileKind* kind;  ///< of the merged file
  void (*write)(const SurveyFiles& survey, const MergeOptions& options);
};
const Merger mergers[] = {{&hdf5_gathers, &merged_kind, write_merged_hdf5},
                          {&segy_gathers, &segy_kind, write_merged_segy}};

/// By what the name of the output says. Error 64.
const Merger& merger_of(const MergeOptions& options) {
  const auto* const found = std::ranges::find(mergers, format_named_by(options.output), &Merger::format);
  if (found == std::end(mergers)) {
    GatherFormats all;
    for (const Merger& merger : mergers) all.push_back(merger.format);
    const std::string_view said = format_said_by(options.output);
    const std::string what = said.empty() ? "no format" : text(said, ", not ", titles_of(all));
    throw Error(ExitCode::usage,
                options.output.empty() ? "no output is given"
                                       : text(option("output"), " ", shown(options.output), " says ", what),
                "give -o " + files_of(all));
  }
  if (found->format != &segy_gathers && options.segy_floats) {
    throw Error(ExitCode::usage,
                text(option("segy-floats"), " is given with an ", found->format->title, " file"),
                "leave it out, or give FILE.sgy");
  }
  return *found;
}

}  // namespace

void merge_survey(const MergeOptions& options) {
  const Merger& merger = merger_of(options);
  check_rest(options);
  OutputClaims claims;
  claims.add(options.output, *merger.kind, options.force);
  if (merger.format == &segy_gathers && has_segy_alone(options.folder)) return join_segy(options);
  const SurveyFiles survey = find_shots(options.folder, options.allow_missing);
  merger.write(survey, options);
  print_merged(options, survey.notes, survey.shots.size(), survey.receivers(), survey.first.samples);
}

}  // namespace minimod
