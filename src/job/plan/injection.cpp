#include "src/job/plan/injection.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/error.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/option.hpp"
#include "src/base/small_values.hpp"
#include "src/wavelets/spline.hpp"
#include "src/wavelets/time_dispersion.hpp"

namespace minimod {
namespace {

/// 1 or -1, of neighbours as often the same as not (the bits of a multiplicative hash).
double sign_of(std::size_t i) {
  return (static_cast<std::uint32_t>(i) * 2654435769U >> 30U & 1U) == 0 ? 1 : -1;
}

}  // namespace

void check_injection_options(const AcquisitionOptions& o, const TimeOptions& time) {
  if (o.inject.empty()) {
    if (o.reverse) {
      throw Error(ErrorKind::parameter, text(option("reverse"), " is given without ", option("inject")),
                  "give that, or leave it out");
    }
    return;
  }
  const auto refuse = [](const std::string& other) {
    throw Error(ErrorKind::parameter, text(option("inject"), " and ", other, " are both given"),
                "give one of them");
  };
  if (o.source) refuse(option("source"));
  if (!o.sources.empty()) refuse(option("sources"));
  if (!o.wavelet.empty()) refuse(option("wavelet"));
  if (time.zero == TimeZero::peak) refuse(option("time-zero") + " peak");
}

Injection::Injection(const std::string& file, bool backward)
    : file_(file),
      crc32_(hexadecimal(crc32_of_file(file))),
      backward_(backward),
      traces_(read_recorded_traces(file)) {
  traces_.values.visit([&](const auto& all) {
    for (const double value : all) greatest_ = std::max(greatest_, std::abs(value));
  });
}

std::string Injection::description() const {
  return text(count(), count() == 1 ? " trace of '" : " traces of '", escaped(file_, 60), "'",
              backward_ ? ", backward in time" : "");
}

std::vector<double> Injection::values(std::size_t i) const {
  const std::size_t n = traces_.samples;
  std::vector<double> values(n);
  const SmallValuesCount here;
  traces_.values.visit([&](const auto& all) { std::copy_n(&all[i * n], n, values.begin()); });
  if (backward_) std::ranges::reverse(values);
  return values;
}

std::vector<double> Injection::times() const {
  std::vector<double> times(traces_.samples);
  const double first = backward_ ? 0 : traces_.first;
  for (std::size_t n = 0; n < times.size(); ++n) times[n] = first + static_cast<double>(n) * traces_.dt;
  return times;
}

Signature Injection::together() const {
  std::vector<double> sum(traces_.samples);
  for (std::size_t i = 0; i < count(); ++i) {
    const std::vector<double> own = values(i);
    for (std::size_t n = 0; n < sum.size(); ++n) sum[n] += sign_of(i) * own[n];
  }
  Signature signature;
  std::vector<double> at = times();
  signature.first = at.front();
  signature.last = at.back();
  signature.at = Spline(std::move(at), std::move(sum));
  signature.description = description();
  signature.unit = traces_.unit;
  return signature;
}

std::vector<double> Injection::samples(std::size_t i, const TimeAxis& run) const {
  return sampled(i, run, run.steps);
}

std::vector<double> Injection::fed(std::size_t i, const TimeAxis& run) const {
  if (run.dispersion == TimeDispersion::as_is) return samples(i, run);
  const double last = times().back();
  const int all = std::max(run.steps, static_cast<int>(std::ceil((last - run.first) / run.dt)) + 1);
  return warped_signature(sampled(i, run, all), static_cast<std::size_t>(run.steps));
}

std::vector<double> Injection::sampled(std::size_t i, const TimeAxis& run, int count) const {
  const Spline spline(times(), values(i));
  std::vector<double> samples(static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) samples[static_cast<std::size_t>(n)] = spline(run.at(n));
  return samples;
}

}  // namespace minimod
