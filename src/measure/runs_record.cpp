#include "src/measure/runs_record.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace minimod {

namespace {

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::optional<ClockSpread>& clock) {
  return clock ? Json{{"least", clock->least}, {"mean", clock->mean}} : Json(nullptr);
}

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

Json power_source_record(const PowerSource& source) {
  return {{"how", source.tells_energy() ? Json(source.how()) : Json(nullptr)},
          {"why_not", source.tells_energy() ? Json(nullptr) : Json(source.why_no_energy())}};
}

Json power_record(const PowerFigures& figures, const PowerSource& source, double points_per_second) {
  const auto& watts = figures.watts;
  return {{"watts", or_null(watts)},
          {"mpt_per_j", watts && *watts > 0 ? Json(1e-6 * points_per_second / *watts) : Json(nullptr)},
          {"clock_mhz", or_null(figures.clock_mhz)},
          {"memory_clock_mhz", or_null(figures.memory_clock_mhz)},
          {"celsius", or_null(figures.celsius)},
          {"throttled", source.names_of(figures.throttled)}};
}

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
  record["mpt_per_j"] = or_null(median_of(runs, points_per_microjoule));
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
    Json& row = rows.emplace_back(Json{{"at", run.at}, {"steps", run.steps}, {"seconds", runs.seconds[i]}});
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
