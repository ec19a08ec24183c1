#include "src/job/outputs/power_record.hpp"

#include "src/base/json.hpp"

namespace minimod {

namespace {

Json told_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json told_or_null(const std::optional<ClockSpread>& clock) {
  return clock ? Json{{"least", clock->least}, {"mean", clock->mean}} : Json(nullptr);
}

}  // namespace

Json power_source_record(const PowerSource& source) {
  return {{"how", source.tells_energy() ? Json(source.how()) : Json(nullptr)},
          {"why_not", source.tells_energy() ? Json(nullptr) : Json(source.why_no_energy())}};
}

Json power_record(const PowerFigures& figures, const PowerSource& source, double points_per_second) {
  const auto& watts = figures.watts;
  return {{"watts", told_or_null(watts)},
          {"mpt_per_j", watts && *watts > 0 ? Json(1e-6 * points_per_second / *watts) : Json(nullptr)},
          {"clock_mhz", told_or_null(figures.clock_mhz)},
          {"memory_clock_mhz", told_or_null(figures.memory_clock_mhz)},
          {"celsius", told_or_null(figures.celsius)},
          {"throttled", source.names_of(figures.throttled)}};
}

}  // namespace minimod
