#include "validation/cases/reflection.hpp"

#include <cmath>

#include "src/solver/time_step.hpp"

namespace minimod {

namespace {

constexpr int around = 36;  // points that keep the reflections of a closed box away for 1 s

Domain make_domain(Domain layer, int width, double dt) {
  const int n = reflection_model + 2 * width;
  layer.n = {n, n, n};
  layer.h = reflection_conditions.spacing;
  layer.velocity = reflection_conditions.velocity;
  layer.dt = dt;
  layer.pml_width = width;
  return layer;
}

std::vector<std::vector<double>> run(Runner& runner, const Domain& domain, int width,
                                     const ReflectionSurvey& survey) {
  const auto moved = [width](Index3 p) { return Index3{p.x + width, p.y + width, p.z + width}; };
  std::vector<Index3> receivers;
  for (const Index3& receiver : survey.receivers) receivers.push_back(moved(receiver));
  return runner.traces(domain, moved(survey.source), survey.samples, receivers,
                       static_cast<int>(survey.samples.size()));
}

/// The signature of the conditions, as a run samples it.
std::vector<double> samples_of(double seconds, double dt) {
  const double peak = reflection_conditions.peak_frequency;
  return ricker_samples(peak, 1.5 / peak, dt, static_cast<int>(seconds / dt));
}

double time_step() {
  const double h = reflection_conditions.spacing;
  return reflection_conditions.dt_fraction * stable_dt_limit(reflection_conditions.velocity, {h, h, h});
}

/// Along the top layer, a point below it. The end is before the closed box above answers.
ReflectionSurvey grazing_survey(double dt) {
  constexpr double seconds = 0.94;
  constexpr int from_side = 11, depth = 1;
  const int offset = static_cast<int>(reflection_conditions.grazing_offset / reflection_conditions.spacing);
  const int middle = reflection_model / 2;
  return {samples_of(seconds, dt), dt, {from_side, middle, depth}, {{from_side + offset, middle, depth}}};
}

}  // namespace

ReflectionSurvey centred_survey(std::vector<double> samples, double dt) {
  constexpr int centre = reflection_model / 2;
  return {std::move(samples), dt, {centre, centre, centre}, {{0, centre, centre}, {0, 0, centre}, {0, 0, 0}}};
}

std::vector<std::vector<double>> traces_with(Runner& runner, Domain layer, const ReflectionSurvey& survey) {
  const int width = layer.pml_width;
  return run(runner, make_domain(std::move(layer), width, survey.dt), width, survey);
}

std::vector<std::vector<double>> traces_without(Runner& runner, const ReflectionSurvey& survey) {
  Domain large = make_domain({}, around, survey.dt);
  large.pml_width = 0;
  return run(runner, large, around, survey);
}

double reflection_decibel(const std::vector<double>& trace, const std::vector<double>& expected) {
  double reflected = 0, incident = 0;
  for (std::size_t n = 0; n < trace.size(); ++n) {
    reflected = std::max(reflected, std::abs(trace[n] - expected[n]));
    incident = std::max(incident, std::abs(expected[n]));
  }
  return 20 * std::log10(reflected / incident);
}

ReflectionMeter::ReflectionMeter(Runner& runner)
    : runner_(runner),
      centred_(centred_survey(samples_of(1, time_step()), time_step())),
      grazing_(grazing_survey(time_step())),
      expected_centred_(traces_without(runner, centred_)),
      expected_grazing_(traces_without(runner, grazing_)) {}

Reflection ReflectionMeter::measure(BoundaryKind kind, int width) const {
  Domain layer;
  layer.kind = kind;
  layer.pml_width = width;
  layer.pml_velocity = reflection_conditions.velocity;
  layer.frequency = reflection_conditions.peak_frequency;
  const auto centred = traces_with(runner_, layer, centred_);
  const auto grazing = traces_with(runner_, layer, grazing_);
  const auto of = [&](int i) { return reflection_decibel(centred[i], expected_centred_[i]); };
  return {of(0), of(1), of(2), reflection_decibel(grazing[0], expected_grazing_[0])};
}

}  // namespace minimod
