#include "validation/cases/means/reflection.hpp"

#include <cmath>

#include "src/solver/numerics/time_step.hpp"

namespace minimod {

namespace {

/// The shot in its model with so many points more on each face.
std::vector<std::vector<double>> run(Runner& runner, Domain domain, const PmlWidths& more,
                                     const ReflectionShot& shot) {
  const Extent3 n = shot.n;
  domain.n = {more.left + n.x + more.right, more.front + n.y + more.back, more.top + n.z + more.bottom};
  domain.h = reflection_conditions.spacing;
  domain.velocity = reflection_conditions.velocity;
  domain.dt = shot.dt;
  const auto moved = [&](Index3 p) { return Index3{p.x + more.left, p.y + more.front, p.z + more.top}; };
  std::vector<Index3> receivers;
  for (const Index3& receiver : shot.receivers) receivers.push_back(moved(receiver));
  return runner.traces(domain, moved(shot.source), shot.samples, receivers,
                       static_cast<int>(shot.samples.size()));
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

/// Along the top layer, a point below it. A wave runs 94 points until the end: by way of the faces of the
/// model that have no layer, and of those of the larger domain, it is 96 and more from the source to the
/// receiver.
ReflectionShot grazing_shot(double dt) {
  constexpr double seconds = 0.94;
  constexpr int from_side = 11, depth = 1, far = 40;
  const int offset = static_cast<int>(reflection_conditions.grazing_offset / reflection_conditions.spacing);
  return {samples_of(seconds, dt),
          dt,
          {from_side, far, depth},
          {{from_side + offset, far, depth}},
          {reflection_model, 2 * far + 1, depth + far + 1},
          {.left = 1, .right = 1, .top = 1},
          {.left = 12, .right = 12, .top = far - depth}};
}

}  // namespace

ReflectionShot centred_shot(std::vector<double> samples, double dt) {
  // A wave runs 100 points in 1 s: by way of the right face, or those of the larger domain, it is 110 and
  // more from the source to a receiver. (Some of a wavelet that starts with a jump runs ahead.)
  constexpr int centre = reflection_model / 2, far = 36, n = reflection_model;
  return {std::move(samples),
          dt,
          {centre, centre, centre},
          {{0, centre, centre}, {0, 0, centre}, {0, 0, 0}},
          {n, n, n},
          {.left = 1, .front = 1, .back = 1, .top = 1, .bottom = 1},
          {.left = far, .front = far, .back = 16, .top = far, .bottom = 16}};
}

std::vector<std::vector<double>> traces_with(Runner& runner, Domain layer, const ReflectionShot& shot) {
  const int width = layer.pml_width;
  const PmlWidths& f = shot.faces;
  const PmlWidths widths{f.left * width, f.right * width, f.front * width,
                         f.back * width, f.top * width,   f.bottom * width};
  layer.layers = widths;
  return run(runner, std::move(layer), widths, shot);
}

std::vector<std::vector<double>> traces_without(Runner& runner, const ReflectionShot& shot) {
  return run(runner, {}, shot.room, shot);
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
      centred_(centred_shot(samples_of(1, time_step()), time_step())),
      grazing_(grazing_shot(time_step())),
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
