#include "src/wavelets/wavelet.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/wavelets/spectrum.hpp"

namespace minimod {
namespace {

constexpr double negligible_share = 1e-6;
constexpr double silent_share = 1e-12;
constexpr double jump_share = 1e-3;           // a Ricker wavelet with t0 = 1 / f starts just under it
constexpr double noted_energy_share = 1e-3;   // -30 dB
constexpr double most_energy_dropped = 1e-2;  // beyond, the wavelet is no longer the one that was named
constexpr double most_samples = 1e7;

/// |s| of all samples at most.
double greatest_of(std::span<const double> samples) {
  double greatest = 0;
  for (const double s : samples) greatest = std::max(greatest, std::abs(s));
  return greatest;
}

/// To a tenth.
std::string percent(double share) {
  return text(std::round(1000 * share) / 10, " %");
}

Error before_the_run(const Signature& signature, double share) {
  return {ErrorKind::data,
          text(percent(share), " of the energy of the wavelet (", signature.description,
               ") lies before t = 0, where no run is"),
          text("start it ", -signature.first, " s later, or take ", option("time-zero"), " peak")};
}

void check_length(const Signature& signature, double dt) {
  if ((signature.last - signature.first) / dt <= most_samples) return;
  throw Error(ErrorKind::data,
              text("the wavelet (", signature.description, ") lasts ", signature.last - signature.first,
                   " s, over 10^7 time steps of ", dt, " s"),
              "take a higher frequency, or cut it");
}

Error silent(const Signature& signature, double tmax) {
  return {ErrorKind::data,
          text("the wavelet (", signature.description, ") is silent until the run ends at ", tmax, " s"),
          text("take a larger ", option("tmax"), ", or start it earlier")};
}

/// A signature at every time step of the run and beyond.
struct Sampled {
  std::vector<double> before;  ///< samples before the run
  std::vector<double> in_run;  ///< to the end of the run or of the signature, whichever comes later
  double greatest = 0;         ///< |s|
};

Sampled sample(const Signature& signature, const TimeAxis& times) {
  check_length(signature, times.dt);
  if (signature.last <= times.first) throw before_the_run(signature, 1);
  if (signature.first >= times.at(times.steps)) throw silent(signature, times.at(times.steps));
  Sampled sampled;
  for (double n = std::ceil((signature.first - times.first) / times.dt); n < 0; ++n) {
    sampled.before.push_back(signature.at(times.at(n)));
  }
  const auto last = static_cast<int>(std::ceil((signature.last - times.first) / times.dt));
  const int count = std::max(times.steps, last + 1);
  sampled.in_run.reserve(static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) sampled.in_run.push_back(signature.at(times.at(n)));
  const auto is_finite = [](double s) { return std::isfinite(s); };
  if (!std::ranges::all_of(sampled.before, is_finite) || !std::ranges::all_of(sampled.in_run, is_finite)) {
    throw Error(ErrorKind::data, text("the wavelet (", signature.description, ") overflows when resampled"),
                "give seconds and values below 1e100");
  }
  sampled.greatest = std::max(greatest_of(sampled.before), greatest_of(sampled.in_run));
  return sampled;
}

/// Relative to the square of `greatest`.
double energy(std::span<const double> samples, double greatest) {
  double sum = 0;
  for (const double s : samples) sum += (s / greatest) * (s / greatest);
  return sum;
}

/// From the first sample of note in the run to the last; there is one.
std::span<const double> audible(const Sampled& sampled) {
  const auto is_note = [&](double s) { return std::abs(s) > negligible_share * sampled.greatest; };
  const auto& s = sampled.in_run;
  const auto first = std::ranges::find_if(s, is_note);
  const auto last = std::find_if(s.rbegin(), s.rend(), is_note).base();
  return {first, last};
}

/// Where it leaves rest in the run or behind it.
double onset_of(const Sampled& sampled, const TimeAxis& times) {
  const auto is_begun = [&](double s) { return std::abs(s) > jump_share * sampled.greatest; };
  const auto first = std::ranges::find_if(sampled.in_run, is_begun);
  return times.at(static_cast<double>(first - sampled.in_run.begin()));
}

/// Refuses what the run would lose, or notes it.
void check_extent(const Signature& signature, const Sampled& sampled, const TimeAxis& times,
                  std::vector<Note>& notes) {
  const double tmax = times.at(times.steps), greatest = sampled.greatest;
  if (greatest == 0) {
    throw Error(ErrorKind::data, text("the wavelet (", signature.description, ") is zero throughout"),
                "give a signal");
  }
  const std::span<const double> all = sampled.in_run, in_run = all.first(times.steps);
  const double lost = energy(sampled.before, greatest), left = energy(all, greatest);
  const double lost_share = lost / (lost + left);
  if (lost_share > most_energy_dropped) throw before_the_run(signature, lost_share);
  if (greatest_of(in_run) <= silent_share * greatest) throw silent(signature, tmax);
  if (lost_share > noted_energy_share) {
    notes.push_back({text(percent(lost_share), " of the wavelet's energy lies before t = 0 and is cut off"),
                     "energy before t = 0", lost_share});
  }
  if (const double jump = std::abs(in_run[0]) / greatest; jump > jump_share) {
    notes.push_back({text("the wavelet starts with a jump of ", percent(jump), " of its greatest value"),
                     "a jump", jump});
  }
  const double after = energy(all.subspan(times.steps), greatest);
  if (after > noted_energy_share * left) {
    notes.push_back({text("the run ends at ", tmax, " s, and ", percent(after / left),
                          " of the wavelet's energy comes after it"),
                     "energy after the run", after / left});
  }
}

}  // namespace

double Wavelet::delay() const {
  const auto greatest = std::ranges::max_element(samples, {}, [](double s) { return std::abs(s); });
  const double delay = first + static_cast<double>(greatest - samples.begin()) * dt;
  return std::abs(delay) < 1e-6 * dt ? 0 : delay;  // t = 0 is a time step, but for its rounding
}

int Wavelet::end() const {
  double greatest = 0;
  for (const double s : fed) {
    if (std::isfinite(s)) greatest = std::max(greatest, std::abs(s));
  }
  const auto is_negligible = [&](double s) { return std::abs(s) <= negligible_share * greatest; };
  const auto last = std::find_if_not(fed.rbegin(), fed.rend(), is_negligible);
  return static_cast<int>(fed.rend() - last);
}

double peak_time(const Signature& signature, double dt) {
  check_length(signature, dt);
  const auto loudness = [&](double t) { return std::abs(signature.at(t)); };
  const int count = static_cast<int>((signature.last - signature.first) / dt);
  double top = signature.first;
  for (int n = 1; n <= count; ++n) {
    if (const double t = signature.first + n * dt; loudness(t) > loudness(top)) top = t;
  }
  // Thirds of what lies beside the greatest sample, until nothing is left.
  double left = std::max(top - dt, signature.first), right = std::min(top + dt, signature.last);
  while (right - left > 1e-7 * dt) {
    const double a = left + (right - left) / 3, b = right - (right - left) / 3;
    (loudness(a) < loudness(b) ? left : right) = loudness(a) < loudness(b) ? a : b;
  }
  return (left + right) / 2;
}

Signature earlier(const Signature& signature, double by) {
  Signature shifted = signature;
  shifted.at = [at = signature.at, by](double t) { return at(t + by); };
  shifted.first -= by;
  shifted.last -= by;
  shifted.description += text(", ", by, " s earlier");
  return shifted;
}

Wavelet make_wavelet(const std::string& spec, double dt, int steps) {
  return make_wavelet(make_signature(spec), {dt, steps, 0});
}

Wavelet make_wavelet(const Signature& signature, const TimeAxis& times) {
  Sampled sampled = sample(signature, times);
  Wavelet wavelet;
  wavelet.notes = signature.notes;
  check_extent(signature, sampled, times, wavelet.notes);
  const Spectrum spectrum = measure_spectrum(audible(sampled), times.dt);
  wavelet.peak_frequency = spectrum.peak;
  wavelet.max_frequency = spectrum.max;
  wavelet.amplitude = sampled.greatest;
  wavelet.onset = onset_of(sampled, times);
  const auto steps = static_cast<std::size_t>(times.steps);
  const bool is_warped = times.dispersion == TimeDispersion::corrected;
  if (is_warped) wavelet.fed = warped_signature(sampled.in_run, steps);
  sampled.in_run.resize(steps);
  wavelet.samples = std::move(sampled.in_run);
  if (!is_warped) wavelet.fed = wavelet.samples;
  wavelet.dt = times.dt;
  wavelet.first = times.first;
  wavelet.description = signature.description;
  wavelet.unit = signature.unit;
  return wavelet;
}

}  // namespace minimod
