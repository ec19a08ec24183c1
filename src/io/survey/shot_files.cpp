#include "src/io/survey/shot_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <set>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/io/gather/shot_geometry.hpp"
#include "src/io/gather_format.hpp"
#include "src/io/survey/folder_lock.hpp"
#include "src/io/survey/journal.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;
using Metadata = std::vector<std::pair<std::string, AttributeValue>>;

/// The number in the name of a shot's file; -1 for another name.
int number_in(const std::string& name, const char* suffix) {
  constexpr std::size_t digits_begin = std::string_view("shot_").size();
  int shot = -1;
  if (name.size() <= digits_begin) return -1;
  std::from_chars(name.data() + digits_begin, name.data() + name.size(), shot);
  return shot >= 0 && name == shot_file_name(shot, suffix) ? shot : -1;
}

std::vector<ShotFile> shots_in(const fs::path& folder, const char* suffix) {
  std::error_code error;
  std::vector<ShotFile> shots;
  for (const auto& entry : fs::directory_iterator(folder / "shots", error)) {
    const int shot = number_in(entry.path().filename().string(), suffix);
    if (shot >= 0) shots.push_back({shot, entry.path()});
  }
  std::ranges::sort(shots, {}, &ShotFile::shot);
  return shots;
}

/// Shots' files in the format that keeps everything.
std::vector<ShotFile> list_shots(const fs::path& folder) {
  const GatherFormat& all = *gather_formats().front();
  std::vector<ShotFile> shots = shots_in(folder, all.suffix);
  if (!shots.empty()) return shots;
  for (const GatherFormat* format : gather_formats()) {
    if (!has_shots_alone(folder, *format)) continue;
    throw Error(ErrorKind::missing_input,
                text("the shots in ", shown(folder), " are ", format->title,
                     " alone, which has not all that ", all.title, " keeps"),
                text("give ", option("output"), " FILE", format->suffix));
  }
  throw Error(ErrorKind::missing_input,
              text("there are no files shots/", shot_file_name(first_shot_number), " ... in ", shown(folder)),
              "give the folder of a survey");
}

// ---- the journal ----

/// Whether a line says so of the file as it is.
bool is_as_said(const Journal& journal, const ShotFile& file, const fs::path& folder) {
  const std::string name = "shots/" + file.path.filename().string();
  const FinishedFile found = finished_shot(file.shot, "", folder, {name}).files.front();
  const auto [first, last] = journal.shots().equal_range(file.shot);
  return std::any_of(first, last, [&](const auto& entry) {
    return std::ranges::find(entry.second.files, found) != entry.second.files.end();
  });
}

bool is_there(const std::vector<ShotFile>& shots, int shot) {
  return std::ranges::binary_search(shots, shot, {}, &ShotFile::shot);
}

/// A folder whose journal has no shots has nothing to say. One that is being worked in has shots that the
/// journal does not have yet, which are left out.
void check_journal(const Journal& journal, const fs::path& folder, std::vector<ShotFile>& shots) {
  if (FolderLock::owner_of(folder)) {
    std::erase_if(shots, [&](const ShotFile& file) { return !is_as_said(journal, file, folder); });
    if (!shots.empty()) return;
    throw Error(ErrorKind::missing_input, text("the survey in ", shown(folder), " has no finished shot yet"),
                "wait for one");
  }
  if (journal.shots().empty()) return;
  for (const ShotFile& file : shots) {
    if (is_as_said(journal, file, folder)) continue;
    throw Error(ErrorKind::data,
                text(shown(file.path),
                     journal.shots().contains(file.shot) ? " is not what the journal says of shot "
                                                         : " is not in the journal, unlike a finished shot ",
                     file.shot),
                "run the survey again, which makes it anew");
  }
}

/// Words of the first of them; one at least.
std::string first_of(const std::vector<int>& numbers) {
  constexpr std::size_t most_named = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(numbers.size(), most_named); ++i) {
    names += text(i == 0 ? "" : ", ", numbers[i]);
  }
  return names + (numbers.size() > most_named ? ", ..." : "");
}

/// Note of shots that the journal has as planned or done and the folder has not, where that is allowed.
std::string note_of_missing(const Journal& journal, const std::vector<ShotFile>& shots, bool allow_missing) {
  std::set<int> wanted = journal.planned();
  for (const auto& entry : journal.shots()) wanted.insert(entry.first);
  std::vector<int> missing;
  std::ranges::copy_if(wanted, std::back_inserter(missing), [&](int shot) { return !is_there(shots, shot); });
  if (missing.empty()) {
    return journal.planned().empty()
               ? text("the folder does not say which shots were planned, merged are the ", shots.size(),
                      " that are there")
               : "";
  }
  std::string what = text(missing.size(), " of ", wanted.size(), " shots of the survey ",
                          missing.size() == 1 ? "is" : "are", " not there: ", first_of(missing));
  if (allow_missing) return what;
  throw Error(ErrorKind::data, what, "run the survey again, or give " + option("allow-missing"));
}

/// Notes of shots that are not there, for those who are told. Errors: 65.
std::vector<std::string> check_presence(const fs::path& folder, std::vector<ShotFile>& shots,
                                        bool allow_missing) {
  const Journal journal(folder, {});
  check_journal(journal, folder, shots);
  std::string note = note_of_missing(journal, shots, allow_missing);
  if (note.empty()) return {};
  return {std::move(note)};
}

// ---- shots that belong together ----

/// With all its digits.
std::string exactly(double value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

/// Sampling, which must be alike in all shots.
std::string sampling_of(const ShotGather& g) {
  return text(g.samples, " samples every ", exactly(g.record_dt), " s from ", exactly(g.first_time),
              " s and a signature of ", g.wavelets.front().size());
}

void check_alike(const ShotGather& first, int first_shot, const ShotGather& other, int shot) {
  const std::string one = sampling_of(first), two = sampling_of(other);
  if (one == two && first.wavelet_dt == other.wavelet_dt && first.wavelet_unit == other.wavelet_unit) return;
  throw Error(ErrorKind::data,
              text("shot ", first_shot, " has ", one, ", shot ", shot,
                   one == two ? " the same in other steps or units" : " " + two),
              "merge shots of one survey");
}

void keep_shared(Metadata& shared, const Metadata& other) {
  std::erase_if(shared, [&](const auto& entry) { return std::ranges::find(other, entry) == other.end(); });
}

}  // namespace

std::string shot_file_name(int shot, const char* suffix) {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "shot_%05d%s", shot, suffix);
  return name.data();
}

std::size_t receivers_of(const std::vector<ShotFile>& shots) {
  return std::accumulate(shots.begin(), shots.end(), std::size_t{0},
                         [](std::size_t sum, const ShotFile& file) { return sum + file.receivers; });
}

std::size_t SurveyFiles::receivers() const {
  return receivers_of(shots);
}
std::size_t SurveyFiles::sources() const {
  return std::accumulate(shots.begin(), shots.end(), std::size_t{0},
                         [](std::size_t sum, const ShotFile& file) { return sum + file.sources; });
}

SurveyFiles find_shots(const fs::path& folder, bool allow_missing) {
  SurveyFiles survey;
  survey.shots = list_shots(folder);
  survey.notes = check_presence(folder, survey.shots, allow_missing);
  for (ShotFile& file : survey.shots) {
    ShotGather facts = read_gather_facts(file.path);
    if (facts.wavelets.empty()) {
      throw Error(ErrorKind::data,
                  shown(file.path) + " has no /wavelet, as runs with " + option("inject") + " leave it",
                  "merge shots of a survey");
    }
    file.receivers = facts.receivers.size();
    file.sources = facts.sources.size();
    survey.have_water = survey.have_water && !facts.water_depths.empty();
    survey.have_stations = survey.have_stations && !facts.stations.empty();
    if (&file == survey.shots.data()) {
      survey.shared = facts.metadata;
      std::erase_if(survey.shared, [](const auto& entry) { return entry.first == shot_number_name; });
      survey.first = std::move(facts);
      continue;
    }
    check_alike(survey.first, survey.shots.front().shot, facts, file.shot);
    keep_shared(survey.shared, facts.metadata);
  }
  return survey;
}

bool has_shots_alone(const fs::path& folder, const GatherFormat& format) {
  const char* const first = gather_formats().front()->suffix;
  return shots_in(folder, first).empty() && !shots_in(folder, format.suffix).empty();
}

ShotsAlone find_shots_alone(const fs::path& folder, const GatherFormat& format, bool allow_missing) {
  ShotsAlone survey{shots_in(folder, format.suffix), {}};
  survey.notes = check_presence(folder, survey.shots, allow_missing);
  return survey;
}

}  // namespace minimod
