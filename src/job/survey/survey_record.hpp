/// How a survey went: `survey.json`, and the table at its end.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

#include "src/base/json.hpp"
#include "src/io/survey/journal.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/workers/worker_pool.hpp"

namespace minimod {

/// Shot as the journal keeps it, of a worker's words.
[[nodiscard]] FinishedShot finished_shot_of(int id, const Json& finished);

class SurveyRecord {
 public:
  /// Takes over the rows of the shots that an earlier run has left in the folder's record.
  SurveyRecord(const SurveyPlan& survey, const ShotOptions& options, const std::filesystem::path& folder);

  void add_done_before(int id, const std::string& hash);
  void add(int id, const ShotOutcome& outcome);
  void add_worker(const std::string& device, const Json& ready);
  /// From the first worker's start to the last shot's file.
  void set_seconds(double seconds) { seconds_ = seconds; }

  /// Errors: those of write_record.
  void write() const;
  /// A line for each worker and one for all.
  [[nodiscard]] std::string summary() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Totals {
    int shots = 0;
    double kernel_seconds = 0, points = 0;
    double waited_for_files = 0;    ///< s without work, until the files of the shot before were there
    Clock::time_point ready, last;  ///< when it could begin, and its last shot's file was there
  };

  Json head_;
  std::filesystem::path file_;
  double points_of_a_shot_ = 0, seconds_ = 0;
  std::map<int, Json> before_, rows_;  ///< by the shot's number
  std::map<std::string, Json> workers_;
  std::map<std::string, Totals> totals_;  ///< totals of this run, by device
};

}  // namespace minimod
