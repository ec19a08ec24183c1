#include "src/job/survey/survey_record.hpp"

#include <fstream>

#include "src/base/error.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/json.hpp"
#include "src/job/outputs/record.hpp"
#include "src/ranks/domain_part.hpp"

namespace minimod {

namespace {

/// Share of the kernels' time from which on waiting for files is told.
constexpr double worth_telling = 0.1;
constexpr const char* record_schema = "minimod.survey/1";

/// How a worker has cut its shots, for its line.
std::string cut_text(const Json& worker) {
  if (!worker.contains("slabs")) return "";
  std::vector<Slab> slabs;
  for (const int planes : worker["slabs"].get<std::vector<int>>()) slabs.push_back({0, planes});
  const auto& cost = worker["measured_layer_cost"];
  return "; " + cut_fact(slabs, worker["transport"].get<std::string>(),
                         cost.is_null() ? std::nullopt : std::optional(cost.get<double>()));
}

}  // namespace

FinishedShot finished_shot_of(int id, const Json& finished) {
  FinishedShot shot{id, finished["hash"].get<std::string>(), {}};
  for (const auto& file : finished["files"]) {
    shot.files.push_back({file["name"].get<std::string>(), file["bytes"].get<std::uint64_t>(),
                          file["crc32"].get<std::uint32_t>()});
  }
  return shot;
}

SurveyRecord::SurveyRecord(const SurveyPlan& survey, const ShotOptions& options,
                           const std::filesystem::path& folder)
    : file_(folder /
            (options.work.share ? text("survey.", options.work.share->index, ".json") : "survey.json")) {
  const RunPlan& plan = survey.shared;
  const Extent3 n = plan.grid().n;
  points_of_a_shot_ = static_cast<double>(n.points()) * plan.time().steps;
  head_ = {{"schema", record_schema},
           {"command_line", plan.command_line},
           {"date", survey.date},
           {"build", build_record()},
           {"shots", survey.shots.size()},
           {"grid", {n.x, n.y, n.z}},
           {"dt_s", plan.time().dt},
           {"steps", plan.time().steps},
           {"ranks_per_shot", options.work.ranks()}};
  check_can_create(file_, json_record, true);
  try {
    std::ifstream stream(file_);
    const Json earlier = Json::read(stream);
    if (earlier.at("schema") != record_schema) return;
    for (const Json& row : earlier.at("rows")) before_[row.at("shot").get<int>()] = row;
  } catch (const JsonError&) {  // there is none, or it is damaged: what it says is for people alone
    before_.clear();
  }
}

void SurveyRecord::add_done_before(int id, const std::string& hash) {
  const auto row = before_.find(id);
  if (row != before_.end() && row->second["configuration"] == hash) {
    rows_[id] = row->second;
  } else {
    rows_[id] = {{"shot", id}, {"state", "done"}, {"configuration", hash}};
  }
}

void SurveyRecord::add(int id, const ShotOutcome& outcome) {
  const Json& finished = outcome.finished;
  Json row{{"shot", id}, {"state", finished.is_null() ? "failed" : "done"}};
  if (finished.is_null()) {
    row["code"] = outcome.code;
    row["why"] = outcome.what;
  } else {
    row["configuration"] = finished["hash"];
    for (const char* name : {"seconds", "kernel_seconds", "gpt_per_s", "min", "max", "files"})
      row[name] = finished[name];
    Totals& totals = totals_[outcome.device];
    ++totals.shots;
    totals.kernel_seconds += finished["kernel_seconds"].get<double>();
    totals.waited_for_files += finished["waited_for_files"].get<double>();
    totals.points += points_of_a_shot_;
    totals.last = Clock::now();
  }
  row["device"] = outcome.device;
  row["retries"] = outcome.attempts - 1;
  rows_[id] = row;
}

void SurveyRecord::add_worker(const std::string& device, const Json& ready) {
  Json& facts = workers_[device] = {{"device", device}};
  for (const auto& [name, value] : ready.members()) facts[name == "ready" ? "name" : name] = value;
  const auto [totals, is_first] = totals_.try_emplace(device);
  if (is_first) totals->second.ready = Clock::now();
}

void SurveyRecord::write() const {
  Json record = head_;
  Json workers = Json::array(), rows = Json::array();
  int shots = 0;
  for (const auto& [device, facts] : workers_) {
    Json worker = facts;
    const auto totals = totals_.find(device);
    if (totals != totals_.end() && totals->second.shots > 0) {
      shots += totals->second.shots;
      worker["shots"] = totals->second.shots;
      worker["kernel_seconds"] = totals->second.kernel_seconds;
      worker["waited_for_files"] = totals->second.waited_for_files;
      worker["seconds"] = std::chrono::duration<double>(totals->second.last - totals->second.ready).count();
    }
    workers.push_back(worker);
  }
  for (const auto& [id, row] : rows_) rows.push_back(row);
  record["workers"] = workers;
  record["seconds"] = seconds_;
  record["shots_per_s"] = seconds_ > 0 ? shots / seconds_ : 0;
  record["rows"] = rows;
  write_record(record, file_, true);
}

std::string SurveyRecord::summary() const {
  std::string lines;
  int shots = 0;
  for (const auto& [device, totals] : totals_) {
    if (totals.shots == 0) continue;
    shots += totals.shots;
    lines += text("  ", device, ": ", totals.shots, totals.shots == 1 ? " shot, " : " shots, ",
                  totals.points / totals.kernel_seconds * 1e-9, " Gpt/s in its kernels",
                  cut_text(workers_.at(device)), '\n');
    if (totals.waited_for_files > worth_telling * totals.kernel_seconds) {
      lines += text(
          "  ", device, " waited ", totals.waited_for_files,
          " s for the files of its shots, which its disk or cores do not write as fast as it computes\n");
    }
  }
  if (seconds_ > 0) {
    lines += text("shots ", shots, " in ", seconds_, " s, ", shots / seconds_, " shots/s, ",
                  points_of_a_shot_ * shots / seconds_ * 1e-9, " Gpt/s in all\n");
  }
  return lines;
}

}  // namespace minimod
