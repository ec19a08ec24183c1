#include "src/survey/merge.hpp"

#include <algorithm>
#include <iostream>

#include "src/base/error.hpp"
#include "src/survey/merged_file.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

/// What the name of the output says. Error 64.
bool asks_for_segy(const MergeOptions& options) {
  const fs::path suffix = fs::path(options.output).extension();
  const bool segy = suffix == ".sgy" || suffix == ".segy";
  if (!segy && suffix != ".h5") {
    throw Error(ExitCode::usage,
                options.output.empty() ? "no output is given"
                                       : "--output " + shown(options.output) + " says no format",
                "give -o FILE.h5 or FILE.sgy");
  }
  if (!segy && options.segy_floats) {
    throw Error(ExitCode::usage, "--segy-floats is given with an HDF5 file",
                "leave it out, or give FILE.sgy");
  }
  return segy;
}

/// 0 where the shots differ.
std::size_t traces_of_each(const SurveyFiles& survey) {
  const std::size_t count = survey.shots.front().receivers;
  const auto is_alike = [&](const ShotFile& file) { return file.receivers == count; };
  return std::ranges::all_of(survey.shots, is_alike) ? count : 0;
}

void write_merged_segy(const SurveyFiles& survey, const MergeOptions& options) {
  const auto shots = static_cast<int>(survey.shots.size());
  SegyWriter writer(options.output, options.segy_floats.value_or(SegyFloats::ieee), survey.first,
                    {shots, traces_of_each(survey)});
  for (const ShotFile& file : survey.shots) writer.append(read_gather(file.path), file.shot);
  check_target(options.output, segy_kind, options.force);  // it may have come into being meanwhile
  writer.publish();
}

}  // namespace

void merge_survey(const MergeOptions& options) {
  const bool segy = asks_for_segy(options);
  check_can_create(options.output, segy ? segy_kind : merged_kind, options.force);
  const SurveyFiles survey = find_shots(options.folder);
  for (const std::string& note : survey.notes) std::cerr << "minimod: " << note << '\n';
  if (segy) {
    write_merged_segy(survey, options);
  } else {
    write_merged(survey, options.output, options.force);
  }
  std::cout << "survey " << options.output << ": " << survey.shots.size() << " shots, " << survey.receivers()
            << " traces of " << survey.first.samples << " samples\n";
}

}  // namespace minimod
