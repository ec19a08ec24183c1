#include "src/measure/runs_record.hpp"

#include <algorithm>

#include "src/base/json.hpp"

namespace minimod {

namespace {

/// The median of the runs that have the figure; nothing where none has.
std::optional<double> median_of(const TimedRuns& runs, const auto& figure) {
  std::vector<double> values;
  for (std::size_t i = 0; i < runs.facts.size(); ++i) {
    if (const std::optional<double> value = figure(i)) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(spread(values).median);
}

std::optional<ClockSpread> clock_of(const TimedRuns& runs, std::optional<ClockSpread> PowerFigures::*clock) {
  const auto of_run = [&](std::size_t i) -> const std::optional<ClockSpread>& {
    return runs.facts[i].power.*clock;
  };
  const auto mean = median_of(
      runs, [&](std::size_t i) { return of_run(i) ? std::optional(of_run(i)->mean) : std::nullopt; });
  if (!mean) return std::nullopt;
  ClockSpread all{*mean, *mean};
  for (std::size_t i = 0; i < runs.facts.size(); ++i) {
    if (of_run(i)) all.least = std::min(all.least, of_run(i)->least);
  }
  return all;
}

}  // namespace

Json power_record(const TimedRuns& runs, const PowerSource& source, double points) {
  PowerFigures all;
  all.watts = median_of(runs, [&](std::size_t i) { return runs.facts[i].power.watts; });
  all.clock_mhz = clock_of(runs, &PowerFigures::clock_mhz);
  all.memory_clock_mhz = clock_of(runs, &PowerFigures::memory_clock_mhz);
  for (const RunFacts& run : runs.facts) {
    all.throttled |= run.power.throttled;
    all.celsius = std::max(all.celsius, run.power.celsius);  // nothing is less than any
  }
  Json record = power_record(all, source, 0);
  const auto points_per_microjoule = [&](std::size_t i) -> std::optional<double> {
    const auto& watts = runs.facts[i].power.watts;
    return watts && *watts > 0 ? std::optional(1e-6 * points / (runs.seconds[i] * *watts)) : std::nullopt;
  };
  const auto median = median_of(runs, points_per_microjoule);
  record["mpt_per_j"] = median ? Json(*median) : Json(nullptr);
  return record;
}

Json runs_record(const TimedRuns& runs, double points, const PowerSource* power) {
  const Spread seconds = spread(runs.seconds);
  const auto known = median_interval(runs.seconds);
  Json rates_of_runs = to_record(rates(1e-9 * points, seconds));
  rates_of_runs["median_95"] =
      known ? Json{1e-9 * points / known->high, 1e-9 * points / known->low} : Json(nullptr);
  Json rows = Json::array();
  for (std::size_t i = 0; i < runs.facts.size(); ++i) {
    const RunFacts& run = runs.facts[i];
    Json& row = rows.push_back(Json{{"at", run.at}, {"steps", run.steps}, {"seconds", runs.seconds[i]}});
    if (power == nullptr) continue;
    const Json figures = power_record(run.power, *power, points / runs.seconds[i]);
    row["joules"] = run.power.watts ? Json(*run.power.watts * runs.seconds[i]) : Json(nullptr);
    row.update(figures);
  }
  Json record{{"seconds", to_record(seconds)}, {"gpt_per_s", rates_of_runs}, {"runs", rows}};
  record["power"] = power == nullptr ? Json(nullptr) : power_record(runs, *power, points);
  return record;
}

}  // namespace minimod
