#include "src/job/survey/survey_plan.hpp"

#include <algorithm>
#include <optional>

#include "src/base/error.hpp"
#include "src/base/files/file_suffix.hpp"
#include "src/base/option.hpp"
#include "src/job/geometry/field_geometry.hpp"
#include "src/job/geometry/receiver_files.hpp"
#include "src/job/geometry/source_list.hpp"
#include "src/job/plan/arrivals.hpp"
#include "src/job/plan/expected_echo.hpp"
#include "src/job/plan/placing.hpp"
#include "src/job/shot/modeled_shot.hpp"

namespace minimod {
namespace {

/// Whether each shot has the receivers that its traces in a file of field data have.
bool has_own_receivers(const AcquisitionOptions& o) {
  return o.sources == o.receivers && is_field_file(o.sources) && is_segy_name(o.sources);
}

void refuse_survey_options(const AcquisitionOptions& o) {
  const auto refuse = [](const std::string& what, const char* remedy) {
    throw Error(ErrorKind::parameter, what, remedy);
  };
  if (o.sources.empty()) return;
  if (o.source)
    refuse(text(option("source"), " and ", option("sources"), " are both given"), "give one of them");
  if (o.receivers_move && o.receivers.empty()) {
    refuse(text(option("receivers-move"), " is given without ", option("receivers")),
           "give their positions relative to the source");
  }
  if (o.receivers_move && has_own_receivers(o)) {
    refuse(option("receivers-move") + " is given with a file that has the receivers of each shot",
           "leave it out");
  }
}

/// The receivers of one shot after the other, in the coordinates that they are given in.
class ReceiversOfShots {
 public:
  ReceiversOfShots(const AcquisitionOptions& options, std::size_t shots) : options_(options) {
    const std::string& spec = options.receivers;
    if (spec.empty() || has_own_receivers(options)) return;
    if (!is_line_or_grid(spec) && FilePattern::is_one(spec)) {
      files_.emplace(spec);
    } else {
      fixed_ = read(spec);
      check_position_memory(static_cast<double>(fixed_.positions.size()) * static_cast<double>(shots),
                            option("receivers"), position_limit());
    }
  }

  /// `shot` has its sources as they were given, and receivers where it has its own.
  void give(ShotGeometry& shot) {
    if (!has_own_receivers(options_)) {
      ReceiverList list = files_ ? read(files_->name(shot.id)) : fixed_;
      shot.receivers = std::move(list.positions);
      shot.stations = std::move(list.stations);
    }
    taken_ += static_cast<double>(shot.receivers.size());
    check_position_memory(taken_, option("receivers"), position_limit());
    if (!options_.receivers_move) return;
    const Point3 s = shot.sources.front().position;
    for (Point3& p : shot.receivers) p = {s.x + p.x, s.y + p.y, s.z + p.z};
  }

  /// What the user should know of their files, of `shots` shots.
  [[nodiscard]] std::vector<std::string> notes(std::size_t shots) const {
    return notes_.lines(files_ ? shots : 1);
  }

 private:
  ReceiverList read(const std::string& spec) {
    ReceiverList list = parse_receivers(spec, position_limit());
    if (!list.note.empty()) notes_.add("", {list.note, "columns left out"});
    return list;
  }

  const AcquisitionOptions& options_;
  SummedNotes notes_{"files of receivers"};
  std::optional<FilePattern> files_;
  ReceiverList fixed_;
  double taken_ = 0;  ///< positions
};

std::vector<ShotGeometry> all_shots(RunPlan& plan, const ShotOptions& options) {
  const AcquisitionOptions& o = options.acquisition;
  if (o.sources.empty()) return {single_shot(plan, options)};
  SourceList sources = parse_sources(o.sources, o.signature(), position_limit());
  if (!sources.note.empty()) plan.notes.push_back(sources.note);
  plan.default_line = o.receivers.empty();
  if (plan.default_line) {
    const Point3 first = in_model(plan, o, sources.shots.front().sources.front().position);
    const auto line = static_cast<double>(default_receivers(plan, options.boundary, first).size());
    check_position_memory(line * static_cast<double>(sources.shots.size()),
                          text(option("sources"), " without ", option("receivers")), position_limit());
  }
  ReceiversOfShots receivers(o, sources.shots.size());
  for (ShotGeometry& shot : sources.shots) {
    receivers.give(shot);
    for (Point3& receiver : shot.receivers) receiver = in_model(plan, o, receiver);
    for (ShotSource& source : shot.sources) source.position = in_model(plan, o, source.position);
    if (plan.default_line) {
      shot.receivers = default_receivers(plan, options.boundary, shot.sources.front().position);
      shot.stations.clear();
    }
  }
  for (std::string& line : receivers.notes(sources.shots.size())) plan.notes.push_back(std::move(line));
  return std::move(sources.shots);
}

std::vector<int> selected_shots(const std::vector<ShotGeometry>& shots, const ShotRange& range) {
  const int first = shots.front().id, last = shots.back().id;
  const int begin = range.begin.value_or(first), end = range.end.value_or(last + 1);
  const std::string valid =
      first == last ? text("has shot ", first, " alone") : text("has shots ", first, " to ", last);
  if (begin > last || end > last + 1) {
    throw Error(ErrorKind::parameter,
                text(option("shots"), " goes to ", std::max(begin, end - 1), ", the survey ", valid),
                text("stay in ", first, ":", last + 1));
  }
  std::vector<int> selected;
  int passed = 0;
  for (std::size_t i = 0; i < shots.size(); ++i) {
    if (shots[i].id < begin || shots[i].id >= end) continue;
    if (passed++ % range.step == 0) selected.push_back(static_cast<int>(i));
  }
  if (selected.empty()) {
    throw Error(ErrorKind::parameter,
                text("none of the survey's shots is in ", option("shots"), " ", begin, ":", end),
                text("it ", valid, ", not all of these numbers"));
  }
  return selected;
}

Shot place_of_survey(const SurveyPlan& survey, const ShotGeometry& shot) {
  try {
    return place_shot(survey.shared, shot);
  } catch (const Error& wrong) {
    if (survey.shots.size() == 1) throw;
    throw Error(wrong.kind(), text("shot ", shot.id, ": ", wrong.what()), "");
  }
}

/// Places each of them, which checks it.
void check_shots(SurveyPlan& survey) {
  for (const ShotGeometry& shot : survey.shots) static_cast<void>(place_of_survey(survey, shot));
  ArrivalNotes arrivals;
  for (std::size_t i = survey.selected.size(); i-- > 0;) {
    survey.shared.shot = place_of_survey(survey, survey.shot(i));  // the first one stays
    arrivals.add(survey.shared);
    const ShotSize size = shot_size(survey.shared);
    ShotSize& most = survey.largest;
    most = {std::max(most.source_nodes, size.source_nodes),
            std::max(most.source_samples, size.source_samples), std::max(most.receivers, size.receivers),
            size.batch};
  }
  for (std::string& line : arrivals.lines(survey.selected.size())) {
    survey.shared.notes.push_back(std::move(line));
  }
}

}  // namespace

SurveyPlan make_survey_plan(const ShotOptions& options, int parts) {
  refuse_survey_options(options.acquisition);
  SurveyPlan survey;
  survey.shared = make_shared_plan(options, parts);
  survey.shots = all_shots(survey.shared, options);
  survey.selected = selected_shots(survey.shots, options.acquisition.shots.value_or(ShotRange{}));
  plan_shots(survey.shared, options, survey.shots);
  check_shots(survey);
  std::vector<const ShotGeometry*> selected;
  for (std::size_t i = 0; i < survey.selected.size(); ++i) selected.push_back(&survey.shot(i));
  expect_echo(survey.shared, selected);
  return survey;
}

}  // namespace minimod
