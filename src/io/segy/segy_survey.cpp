#include "src/io/segy/segy_survey.hpp"

#include <algorithm>
#include <string>

#include "src/base/choices.hpp"
#include "src/base/error.hpp"
#include "src/base/files/input_file.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/option.hpp"
#include "src/io/segy/segy_file.hpp"
#include "src/io/segy/segy_headers.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

SegyContents contents_of(const std::vector<ShotFile>& shots) {
  const std::size_t count = shots.front().receivers;
  const auto is_alike = [&](const ShotFile& file) { return file.receivers == count; };
  return {static_cast<int>(shots.size()), std::ranges::all_of(shots, is_alike) ? count : 0};
}

void check_room_for(const fs::path& file, const std::vector<ShotFile>& shots, std::size_t samples) {
  check_room(file,
             segy::file_header_bytes +
                 receivers_of(shots) * (segy::trace_header_bytes + samples * segy::sample_bytes),
             "make room, or choose another output");
}

void publish(SegyWriter& writer, const fs::path& file, bool overwrite) {
  check_target(file, segy_kind, overwrite);  // a file may have come into being meanwhile
  writer.publish();
}

/// The header of a shot's file, whose traces are counted into `shot`.
segy::Bytes read_segy_header(ShotFile& shot) {
  const InputFile file(shot.path);
  if (segy_kind.is(shot.path) && file.size() > segy::file_header_bytes) {
    segy::Bytes header(segy::file_header_bytes);
    file.read(0, header);
    const std::size_t traces = file.size() - header.size(), each = segy::facts_of(header).trace_bytes();
    shot.receivers = traces / each;
    if (traces % each == 0) return header;
  }
  throw Error(ErrorKind::data, shown(shot.path) + " is no SEG-Y file of minimod or is cut short",
              "run the survey again, which makes it anew");
}

std::string sampling_of(const segy::FileFacts& facts) {
  return text(facts.samples, facts.floats == SegyFloats::ieee ? " IEEE" : " IBM", " samples every ",
              facts.interval, " us");
}

/// File header of the first shot, which the others are like.
segy::Bytes shared_header(std::vector<ShotFile>& shots) {
  segy::Bytes first;
  for (ShotFile& file : shots) {
    const segy::Bytes header = read_segy_header(file);
    if (first.empty()) first = header;
    const segy::FileFacts there = segy::facts_of(first), here = segy::facts_of(header);
    if (there == here) continue;
    throw Error(ErrorKind::data,
                text("shot ", shots.front().shot, " has ", sampling_of(there), ", shot ", file.shot, " ",
                     sampling_of(here)),
                "merge shots of one survey");
  }
  return first;
}

}  // namespace

void merge_to_segy(const SurveyFiles& survey, SegyFloats floats, const fs::path& file, bool overwrite) {
  check_room_for(file, survey.shots, survey.first.samples);
  SegyWriter writer(file, floats, survey.first, contents_of(survey.shots));
  for (const ShotFile& shot : survey.shots) writer.append(read_gather(shot.path), shot.shot);
  publish(writer, file, overwrite);
}

std::size_t join_segy(std::vector<ShotFile>& shots, std::optional<SegyFloats> floats, const fs::path& file,
                      bool overwrite) {
  segy::Bytes header = shared_header(shots);
  const segy::FileFacts facts = segy::facts_of(header);
  if (floats.value_or(facts.floats) != facts.floats) {
    throw Error(ErrorKind::parameter,
                option("segy-floats") + " says others than the shots have, which are SEG-Y alone",
                "leave it out");
  }
  segy::describe_shots(header, contents_of(shots));
  check_room_for(file, shots, facts.samples);
  SegyWriter writer(file, header);
  for (const ShotFile& shot : shots) writer.append(InputFile(shot.path), shot.shot, shot.receivers);
  publish(writer, file, overwrite);
  return facts.samples;
}

}  // namespace minimod
