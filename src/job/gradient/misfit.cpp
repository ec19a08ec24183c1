#include "src/job/gradient/misfit.hpp"

#include <cmath>
#include <numbers>
#include <span>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/process/on_all_cores.hpp"

namespace minimod {

namespace {

double dot(std::span<const double> one, std::span<const double> other) {
  double sum = 0;
  for (std::size_t n = 0; n < one.size(); ++n) sum += one[n] * other[n];
  return sum;
}

/// Makes the unit trace of one; its norm, 0 where it is all zeros.
double normalize(std::span<double> trace) {
  const double norm = std::sqrt(dot(trace, trace));
  for (double& value : trace) value = norm > 0 ? value / norm : 0;
  return norm;
}

/// Misfit of a trace; `modelled` becomes the derivative by it, `observed` the residual.
double misfit_of_trace(std::span<double> modelled, std::span<double> observed, MisfitKind kind) {
  const double norm = kind == MisfitKind::normalized ? normalize(modelled) : 1;
  if (kind == MisfitKind::normalized) normalize(observed);
  const std::span<double> rest = observed;
  for (std::size_t n = 0; n < rest.size(); ++n) rest[n] = modelled[n] - observed[n];
  const double along = kind == MisfitKind::normalized ? dot(modelled, rest) : 0;
  for (std::size_t n = 0; n < rest.size(); ++n)
    modelled[n] = norm > 0 ? (rest[n] - along * modelled[n]) / norm : 0;
  return dot(rest, rest) / 2;
}

}  // namespace

double TimeWindow::factor(double time) const {
  const double outside = time < first ? first - time : time > last ? time - last : 0;
  if (outside == 0) return 1;
  return outside < taper ? (1 + std::cos(std::numbers::pi * outside / taper)) / 2 : 0;
}

void require_samples(const std::optional<TimeWindow>& window, const SampleTimes& times) {
  if (!window) return;
  const double last = times.first + static_cast<double>(times.count - 1) * times.dt;
  if (window->first - window->taper <= last && window->last + window->taper >= times.first) return;
  throw Error(ErrorKind::parameter,
              text(option("window"), " ", window->first, ",", window->last, " has no sample of ", times.first,
                   " to ", last, " s"),
              "give times of the traces");
}

Misfit misfit_of(const Reals& modelled, const Reals& observed, const SampleTimes& times,
                 const MisfitOptions& options) {
  const std::size_t samples = times.count, traces = modelled.size() / samples;
  std::vector<double> factors(samples, 1);
  for (std::size_t n = 0; options.window && n < samples; ++n)
    factors[n] = options.window->factor(times.first + static_cast<double>(n) * times.dt);
  Misfit misfit{0, std::vector<double>(modelled.size()), {}};
  if (options.keeps_residual) misfit.residual.resize(modelled.size());
  std::vector<double> values(traces);
  on_all_cores("minimod::misfit", traces, [&](std::size_t i) {
    const std::span<double> derivative(&misfit.derivative[i * samples], samples);
    std::vector<double> wanted(samples);
    for (std::size_t n = 0; n < samples; ++n) {
      derivative[n] = factors[n] * modelled[i * samples + n];
      wanted[n] = factors[n] * observed[i * samples + n];
    }
    const double weight = options.weights.empty() ? 1 : options.weights[i];
    values[i] = weight * weight * misfit_of_trace(derivative, wanted, options.kind);
    for (std::size_t n = 0; n < samples; ++n) derivative[n] *= weight * weight * factors[n];
    if (!options.keeps_residual) return;
    for (std::size_t n = 0; n < samples; ++n) misfit.residual[i * samples + n] = weight * wanted[n];
  });
  for (const double value : values) misfit.value += value;
  return misfit;
}

Misfit misfit_with(std::vector<double> derivative, const Reals& modelled) {
  Misfit misfit{0, std::move(derivative), {}};
  for (std::size_t n = 0; n < modelled.size(); ++n) misfit.value += misfit.derivative[n] * modelled[n];
  return misfit;
}

}  // namespace minimod
