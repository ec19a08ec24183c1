#include "src/python/core/misfits.hpp"

#include "src/base/option.hpp"
#include "src/job/gradient/imaging.hpp"
#include "src/python/core/to_python.hpp"

namespace minimod {

namespace {

Reals reals_of(const Traces& traces) {
  return std::vector<double>(traces.data(), traces.data() + traces.size());
}

SampleTimes sample_times(const Traces& traces, Times times) {
  const auto [dt, first] = times;
  return {traces.shape(1), dt, first};
}

MisfitOptions misfit_options(const Window& window, const std::optional<Samples>& weights) {
  MisfitOptions options;
  if (weights) options.weights.assign(weights->data(), weights->data() + weights->size());
  if (window) {
    const auto [begin, end, taper] = *window;
    options.window = {begin, end, taper};
  }
  return options;
}

nb::tuple told(Misfit misfit, const Traces& of) {
  return nb::make_tuple(misfit.value, array_of(std::move(misfit.derivative), {of.shape(0), of.shape(1)}));
}

}  // namespace

nb::tuple misfit_of_arrays(const Traces& modelled, const Traces& observed, Times times,
                           const std::string& kind, Window window, const std::optional<Samples>& weights) {
  MisfitOptions options = misfit_options(window, weights);
  require_samples(options.window, sample_times(modelled, times));
  options.kind = parse_choice(misfit_names, kind, option("misfit"));
  return told(misfit_of(reals_of(modelled), reals_of(observed), sample_times(modelled, times), options),
              modelled);
}

nb::tuple migration_of_arrays(const Traces& modelled, const Traces& observed, Times times, bool keeps_direct,
                              Window window, const std::optional<Samples>& weights) {
  const MisfitOptions options = misfit_options(window, weights);
  const SampleTimes when = sample_times(modelled, times);
  require_samples(options.window, when);
  return told(migration_of(reals_of(modelled), reals_of(observed), when, options, keeps_direct), modelled);
}

}  // namespace minimod
