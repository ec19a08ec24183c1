#include "src/measure/bench_tables.hpp"

#include <cstdio>
#include <sstream>

#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/screen.hpp"

namespace minimod {

namespace {

/// What the ranks have under `key`, with blanks between.
std::string of_ranks(const Json& ranks, const char* key) {
  std::string all;
  for (const Json& row : ranks["rows"]) {
    const Json& value = row[key];
    all += (all.empty() ? "" : " ") + (value.is_array() ? text(value[0], ':', value[1]) : value.dump());
  }
  return all;
}

}  // namespace

void print_row(const Json& r) {
  const std::string name = r["name"];
  if (!r["verified"].get<bool>()) {
    std::printf("%-31s wrong: relative L2 error %.2e, not timed\n", name.c_str(), r["error"].get<double>());
    return;
  }
  std::printf("%-31s %8s", name.c_str(), three_digits(r["seconds"]["median"]).c_str());
  for (const char* part : {"min", "median", "max"}) {
    std::printf(" %8s", three_digits(r["gpt_per_s"][part]).c_str());
  }
  const auto rate = [&](const char* key) { return r[key].is_null() ? "-" : three_digits(r[key]); };
  std::printf(" %8s %8s %7.1f%%\n", rate("gpt_per_s_inner").c_str(), rate("gpt_per_s_pml").c_str(),
              100 * r["share_of_ceiling"].get<double>());
  std::fflush(stdout);
}

void print_launches(const Json& shapes) {
  bool has_head = false;
  for (const Json& r : shapes) {
    const Json launch = r.value("launch", Json());
    if (launch.is_null() || launch.empty()) continue;
    if (!has_head) std::printf("\n%-31s %9s %10s %9s\n", "inner launch", "registers", "shared", "occupancy");
    has_head = true;
    const Json& inner = launch.front();
    std::printf("%-31s %9d %8d B %8.0f%%\n", r["name"].get<std::string>().c_str(),
                inner.value("registers", 0), inner.value("shared_bytes", 0),
                100 * inner.value("theoretical_occupancy", 0.0));
  }
}

void print_paper(const Json& shapes) {
  bool has_head = false;
  for (const Json& r : shapes) {
    const Json seconds = r.value("paper_seconds", Json());
    if (seconds.is_null()) continue;
    if (!has_head) {
      std::printf("\n%-31s %9s %9s %9s %9s\n", "seconds of 1000 steps", "here", "V100", "P100", "NVS510");
    }
    has_head = true;
    std::printf("%-31s %9s", r["name"].get<std::string>().c_str(),
                three_digits(r["seconds_per_1000_steps"]).c_str());
    for (const char* gpu : {"V100", "P100", "NVS510"}) std::printf(" %9.2f", seconds[gpu].get<double>());
    std::printf("\n");
  }
}

void print_ranks(const Json& shapes, int steps) {
  bool has_head = false;
  for (const Json& r : shapes) {
    if (!r.contains("ranks")) continue;
    if (!has_head) {
      std::printf("\n%-31s %6s %8s %9s %14s %11s\n", "of a run", "planes", "Mpoints", "seconds",
                  "MB sent a step", "wait a step");
    }
    has_head = true;
    int rank = 0;
    for (const Json& row : r["ranks"]["rows"]) {
      const std::string name = text(r["name"].get<std::string>(), ", rank ", rank++);
      std::printf("%-31s %6d %8s %9s %14s %11s\n", name.c_str(),
                  row["planes"][1].get<int>() - row["planes"][0].get<int>(),
                  three_digits(row["points"].get<double>() * 1e-6).c_str(),
                  three_digits(row["seconds"]).c_str(),
                  three_digits(row["bytes_sent"].get<double>() * 1e-6 / steps).c_str(),
                  three_digits(row["wait_seconds_a_step"]).c_str());
    }
  }
}

std::string csv_of(const Json& shapes) {
  std::ostringstream csv;
  csv << "name,verified,seconds_min,seconds_median,seconds_max,gpt_per_s_min,gpt_per_s_median,gpt_per_s_max,"
         "gpt_per_s_inner,gpt_per_s_pml,gb_per_s,share_of_ceiling,registers,shared_bytes,local_bytes,"
         "occupancy,ranks,transport,rank_planes,rank_seconds,rank_bytes_sent,rank_exchange_seconds,"
         "rank_wait_seconds_a_step\n";
  for (const Json& r : shapes) {
    csv << r["name"].get<std::string>() << ',' << r["verified"];
    const auto put = [&](const Json& value) { csv << ',' << (value.is_null() ? "" : value.dump()); };
    for (const char* key : {"seconds", "gpt_per_s"}) {
      for (const char* part : {"min", "median", "max"}) put(r.value(key, Json::object()).value(part, Json()));
    }
    for (const char* key : {"gpt_per_s_inner", "gpt_per_s_pml", "gb_per_s", "share_of_ceiling"})
      put(r.value(key, Json()));
    const Json launches = r.value("launch", Json());
    const Json launch = launches.empty() ? Json::object() : launches.front();
    for (const char* key : {"registers", "shared_bytes", "local_bytes", "theoretical_occupancy"})
      put(launch.value(key, Json()));
    if (r.contains("ranks")) {
      const Json& ranks = r["ranks"];
      csv << ',' << ranks["rows"].size() << ',' << ranks["transport"].get<std::string>();
      for (const char* key : {"planes", "seconds", "bytes_sent", "exchange_seconds", "wait_seconds_a_step"})
        csv << ',' << of_ranks(ranks, key);
    } else {
      csv << (r["verified"].get<bool>() ? ",1,,,,,," : ",,,,,,,");
    }
    csv << '\n';
  }
  return csv.str();
}

}  // namespace minimod
