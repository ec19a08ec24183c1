#include "src/job/survey/merge.hpp"

#include <algorithm>
#include <iostream>

#include "src/base/error.hpp"
#include "src/base/files/file_suffix.hpp"
#include "src/base/files/output_claims.hpp"
#include "src/base/option.hpp"
#include "src/job/survey/folder_lock.hpp"
#include "src/job/survey/merged_file.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

/// What the name of the output says. Error 64.
bool asks_for_segy(const MergeOptions& options) {
  const bool segy = is_segy_name(options.output);
  if (!segy && !is_hdf5_name(options.output)) {
    const std::string_view said = format_said_by(options.output);
    const std::string what = said.empty() ? "no format" : text(said, ", not HDF5 or SEG-Y");
    throw Error(ExitCode::usage,
                options.output.empty() ? "no output is given"
                                       : text(option("output"), " ", shown(options.output), " says ", what),
                "give -o FILE.h5 or FILE.sgy");
  }
  if (!segy && options.segy_floats) {
    throw Error(ExitCode::usage, option("segy-floats") + " is given with an HDF5 file",
                "leave it out, or give FILE.sgy");
  }
  return segy;
}

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
  for (const std::string& note : notes) std::cerr << "minimod: " << note << '\n';
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

}  // namespace

void merge_survey(const MergeOptions& options) {
  const bool segy = asks_for_segy(options);
  check_rest(options);
  OutputClaims claims;
  claims.add(options.output, segy ? segy_kind : merged_kind, options.force);
  if (segy && has_segy_alone(options.folder)) return join_segy(options);
  const SurveyFiles survey = find_shots(options.folder, options.allow_missing);
  if (segy) {
    write_merged_segy(survey, options);
  } else {
    write_merged(survey, options.output, options.force);
  }
  print_merged(options, survey.notes, survey.shots.size(), survey.receivers(), survey.first.samples);
}

}  // namespace minimod
