#include "src/measure/bench_tables.hpp"

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"

namespace minimod {

namespace {

const Table table_of_ranks{"of a run",
                           31,
                           {{"", "planes", 6, "/planes", NumberForm::fixed},
                            {"", "Mpoints", 8, "/points", NumberForm::digits, 0, 1e-6},
                            {"", "seconds", 9, "/seconds"},
                            {"", "MB sent a step", 14, "/bytes_sent_a_step", NumberForm::digits, 0, 1e-6},
                            {"", "wait a step", 11, "/wait_seconds_a_step"}}};

const Table table_of_launches{
    "inner launch",
    31,
    {{"", "registers", 9, "/registers", NumberForm::fixed},
     {"", "shared", 10, "/shared_bytes", NumberForm::fixed, 0, 1, " B"},
     {"", "occupancy", 9, "/theoretical_occupancy", NumberForm::fixed, 0, 100, "%"}}};

const Table table_of_paper{"seconds of 1000 steps",
                           31,
                           {{"", "here", 9, "/here"},
                            {"", "V100", 9, "/V100", NumberForm::fixed, 2},
                            {"", "P100", 9, "/P100", NumberForm::fixed, 2},
                            {"", "NVS510", 9, "/NVS510", NumberForm::fixed, 2}}};

/// Values of the ranks under `key`, with blanks between.
std::string of_ranks(const Json& rows, const std::string& key) {
  return joined(rows, " ", [&](const Json& row) {
    return row[key].is_array() ? text(row[key][0], ':', row[key][1]) : row[key].dump();
  });
}

const Table table_of_power{"power",
                           29,
                           {{"", "watts", 7, "/watts", NumberForm::fixed},
                            {"", "Mpt/J", 7, "/mpt_per_j"},
                            {"clock", "MHz", 7, "/clock_mhz/mean", NumberForm::fixed},
                            {"", "least", 7, "/clock_mhz/least", NumberForm::fixed},
                            {"memory", "MHz", 7, "/memory_clock_mhz/mean", NumberForm::fixed},
                            {"", "deg C", 6, "/celsius", NumberForm::fixed},
                            {"", "throttled by", 22, "/reasons"}}};

}  // namespace

ReportForm wave_form() {
  return {
      {"shape",
       31,
       {{"seconds", "median", 8, "/seconds/median"},
        {"", "min", 8, "/gpt_per_s/min"},
        {"", "median", 8, "/gpt_per_s/median"},
        {"Gpt/s", "max", 8, "/gpt_per_s/max"},
        {"inner", "Gpt/s", 8, "/gpt_per_s_inner"},
        {"PML", "Gpt/s", 8, "/gpt_per_s_pml"},
        {"of the", "ceiling", 8, "/share_of_ceiling", NumberForm::fixed, 1, 100, "%"}}},
      "name,verified,seconds_min,seconds_median,seconds_max,gpt_per_s_min,gpt_per_s_median,gpt_per_s_max,"
      "gpt_per_s_inner,gpt_per_s_pml,gb_per_s,share_of_ceiling,registers,shared_bytes,local_bytes,occupancy,"
      "ranks,transport,rank_planes,rank_seconds,rank_bytes_sent,rank_exchange_seconds,rank_wait_seconds_a_"
      "step",
      {"a table of " + command("bench"),
       [](const std::filesystem::path& file) { return begins_with(file, "name,verified,seconds_min,"); }},
      "shapes",
      "the reference"};
}

ReportForm stencil_form() {
  return {{"  kernel",
           30,
           {{"", "min", 7, "/gpt_per_s/min"},
            {"", "median", 7, "/gpt_per_s/median"},
            {"Gpt/s", "max", 7, "/gpt_per_s/max"},
            {"Gflop/s", "median", 8, "/gflop_per_s"},
            {"GB/s", "median", 8, "/gb_per_s"},
            {"of the", "ceiling", 8, "/share_of_ceiling", NumberForm::fixed, 1, 100, "%"},
            {"regi", "sters", 5, "/launch/registers", NumberForm::fixed},
            {"occ.", "%", 5, "/launch/theoretical_occupancy", NumberForm::fixed, 0, 100}}},
          "stencil,kernel,precision,verified,error,seconds_min,seconds_median,seconds_max,gpt_per_s_min,"
          "gpt_per_s_median,gpt_per_s_max,gflop_per_s,gb_per_s,share_of_ceiling,registers,shared_bytes,local_"
          "bytes,"
          "occupancy,played",
          {text("a table of ", command("bench"), " ", option("stencil")),
           [](const std::filesystem::path& file) { return begins_with(file, "stencil,kernel,precision,"); }},
          "kernels",
          "their equations"};
}

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

void print_launches_and_paper(const Json& rows) {
  Json launches = Json::array(), paper = Json::array();
  for (const Json& row : rows) {
    const Json launch = row.value("launch", Json()), seconds = row.value("paper_seconds", Json());
    if (!launch.empty()) {
      launches.push_back(launch.front())["name"] = row["name"];
    }
    if (!seconds.is_null()) {
      paper.push_back(seconds).update({{"name", row["name"]}, {"here", row["seconds_per_1000_steps"]}});
    }
  }
  print_table(table_of_launches, launches);
  print_table(table_of_paper, paper);
}

void print_power(const Json& rows) {
  Json shown = Json::array();
  for (const Json& row : rows) {
    const Json power = row.value("power", Json());
    if (power.is_null()) continue;
    shown.push_back(power).update(
        {{"name", row["name"]}, {"reasons", joined(power["throttled"], ", ", [](const Json& reason) {
                                   return reason.get<std::string>();
                                 })}});
  }
  print_table(table_of_power, shown);
}

}  // namespace minimod
