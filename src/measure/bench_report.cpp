#include "src/measure/bench_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/screen.hpp"

namespace minimod {

namespace {

const Table table_of_ranks{"of a run",
                           31,
                           {{"", "planes", 6, "/planes", NumberForm::fixed},
                            {"", "Mpoints", 8, "/points", NumberForm::digits, 0, 1e-6},
                            {"", "seconds", 9, "/seconds"},
                            {"", "MB sent a step", 14, "/bytes_sent_a_step", NumberForm::digits, 0, 1e-6},
                            {"", "wait a step", 11, "/wait_seconds_a_step"}}};

/// What the ranks have under `key`, with blanks between.
std::string of_ranks(const Json& rows, const std::string& key) {
  std::string all;
  for (const Json& row : rows) {
    const Json& value = row[key];
    all += (all.empty() ? "" : " ") + (value.is_array() ? text(value[0], ':', value[1]) : value.dump());
  }
  return all;
}

/// The members that a table may have beside each other. What several ranks have is in one.
Json flat_row(Json row) {
  for (const std::string key : {"seconds", "gpt_per_s"}) {
    for (const std::string part : {"min", "median", "max"}) {
      if (row.contains(key)) row[text(key, '_', part)] = row[key][part];
    }
  }
  Json launch = row.value("launch", Json());
  if (!launch.empty() && launch.front().is_object()) launch = Json(launch.front());
  if (!launch.is_null()) row.update(launch);
  row["occupancy"] = row.value("theoretical_occupancy", Json());
  if (!row.contains("ranks")) {
    row["ranks"] = row["verified"].get<bool>() ? Json(1) : Json();
    return row;
  }
  const Json ranks = row["ranks"];
  const Json& rows = ranks["rows"];
  row["ranks"] = rows.size();
  row["transport"] = ranks["transport"];
  for (const std::string key :
       {"planes", "seconds", "bytes_sent", "exchange_seconds", "wait_seconds_a_step"}) {
    row["rank_" + key] = of_ranks(rows, key);
  }
  return row;
}

}  // namespace

void BenchReport::claim() {
  check_distinct({files_.json, files_.csv});
  claims_.add(files_.json, json_record, files_.force);
  claims_.add(files_.csv, form_.csv_kind, files_.force);
}

void BenchReport::leave_out(const std::string& shown, Json record, const std::string& why) {
  record["why"] = why;
  not_run_.push_back(std::move(record));
  std::string name = shown;
  name.resize(std::max(name.size(), form_.table.width) + 1, ' ');
  std::printf("%s\n", wrapped(why, name).c_str());
}

void BenchReport::add(const std::string& shown, const Json& record) {
  rows_.push_back(record);
  if (record["verified"].get<bool>()) return print_row(form_.table, shown, record);
  const Json& error = record["error"];
  std::printf("%-*s wrong: relative L2 error %.2e, not timed\n", static_cast<int>(form_.table.width),
              shown.c_str(), error.is_null() ? HUGE_VAL : error.get<double>());
}

void BenchReport::write(Json facts) const {
  facts[form_.rows] = rows_;
  facts["not_run"] = not_run_;
  if (!files_.json.empty()) write_record(facts, files_.json, files_.force);
  if (files_.csv.empty()) return;
  Json rows = Json::array();
  for (const Json& row : rows_) rows.push_back(flat_row(row));
  write_text(csv_of(form_.csv, rows), files_.csv, form_.csv_kind, files_.force);
}

void BenchReport::require_right() const {
  const auto wrong = std::ranges::count_if(rows_, [](const Json& r) { return !r["verified"].get<bool>(); });
  if (wrong == 0) return;
  throw Error(ExitCode::data,
              text(wrong, " of ", rows_.size(), ' ', form_.rows, " disagree with ", form_.right),
              "they were not timed");
}

void print_ranks(const Json& rows, int steps) {
  Json shares = Json::array();
  for (const Json& row : rows) {
    if (!row.contains("ranks")) continue;
    int rank = 0;
    for (Json share : row["ranks"]["rows"]) {
      share["name"] = text(row["name"].get<std::string>(), ", rank ", rank++);
      share["planes"] = share["planes"][1].get<int>() - share["planes"][0].get<int>();
      share["bytes_sent_a_step"] = share["bytes_sent"].get<double>() / steps;
      shares.push_back(std::move(share));
    }
  }
  print_table(table_of_ranks, shares);
}

}  // namespace minimod
