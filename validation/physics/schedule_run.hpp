/// A run whose bits all schedules must share: random fields everywhere at the start, a velocity that changes
/// from point to point, a source, and receivers read after every step.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/registry.hpp"
#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/domain.hpp"
#include "validation/cases/means/field_comparison.hpp"

namespace minimod {

struct ScheduleCase {
  Extent3 n;
  int pml_width;
  Index3 source;
  bool free_surface = false;
};

/// The wavefield after some of the steps, and the traces of all.
struct ScheduleOutcome {
  std::vector<std::vector<double>> fields;
  Reals traces;
};

/// First difference, empty for the same bits. A field of zeros or of other than numbers is no outcome.
inline std::string difference(const ScheduleOutcome& a, const ScheduleOutcome& b) {
  if (a.fields.size() != b.fields.size()) return "number of fields";
  const auto is_finite = [](double value) { return std::isfinite(value); };
  for (std::size_t i = 0; i < a.fields.size(); ++i) {
    const std::vector<double>& field = a.fields[i];
    if (!std::all_of(field.begin(), field.end(), is_finite)) return "not finite";
    if (std::all_of(field.begin(), field.end(), [](double value) { return value == 0; })) return "at rest";
    if (!same_bits(field, b.fields[i])) return "field " + std::to_string(i);
  }
  return same_bits(a.traces, b.traces) ? "" : "traces";
}

inline Propagator make_propagator(Backend& backend, const ScheduleCase& given, const KernelSet& kernels) {
  Domain domain{given.n};
  domain.radius = kernels.inner->radius;
  domain.precision = kernels.inner->precision;
  domain.equation = kernels.inner->equation;
  domain.dt = 0.8 * dt_limit_of(domain.equation, 3000, domain.spacing(), stencil_radius,
                                random_columns(domain.equation, given.n));
  domain.velocity_at = [n = given.n](Index3 p) { return 2000 + ((p.y * n.x + p.x) * 7 + p.z * 131) % 1000; };
  domain.pml_width = given.pml_width;
  domain.pml_velocity = 3000;
  domain.free_surface = given.free_surface;
  return make_propagator(backend, domain, kernels);
}

/// `snapshots`: after so many steps, rising. `poisoned_by`: other than 0, that random field leaves its traces
/// in all buffers first, with a second step that waits in vain.
inline ScheduleOutcome run_schedule(Backend& backend, const ScheduleCase& given, const KernelSet& kernels,
                                    const std::vector<int>& snapshots, std::uint32_t poisoned_by = 0) {
  const int steps = snapshots.back(), poisoning = poisoned_by == 0 ? 0 : 3;
  const Index3 end{given.n.x, given.n.y, given.n.z}, s = given.source;
  Propagator propagator = make_propagator(backend, given, kernels);
  if (poisoned_by > 0) propagator.set_random_field(poisoned_by);
  for (int n = 0; n < poisoning; ++n) propagator.step();
  // As large as the random values: a launch of two steps that forgets one sample cannot hide.
  std::vector<double> samples(steps + poisoning);
  for (std::size_t n = 0; n < samples.size(); ++n) samples[n] = 1e3 * (1 + static_cast<double>(n % 5));
  propagator.set_source(s, samples);
  propagator.set_receivers(
      {s, {0, 0, 0}, {end.x - 1, end.y - 1, end.z - 1}, {end.x / 2, end.y / 2, end.z / 2}}, steps);
  propagator.set_random_field(11);
  ScheduleOutcome outcome;
  for (int n = 1; n <= steps; ++n) {
    propagator.step();
    propagator.record();
    if (std::find(snapshots.begin(), snapshots.end(), n) != snapshots.end())
      outcome.fields.push_back(propagator.wavefield({{0, 0, 0}, end}));
  }
  outcome.traces = propagator.fetch_batch();
  return outcome;
}

}  // namespace minimod
