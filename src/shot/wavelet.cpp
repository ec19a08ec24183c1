#include "src/shot/wavelet.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "src/base/error.hpp"
#include "src/shot/spectrum.hpp"

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
  return {ExitCode::data,
          text(percent(share), " of the energy of the wavelet (", signature.description,
               ") lies before t = 0, where no run is"),
          text("start it ", -signature.first, " s later")};
}

Error silent(const Signature& signature, double tmax) {
  return {ExitCode::data,
          text("the wavelet (", signature.description, ") is silent until the run ends at ", tmax, " s"),
          "take a larger --tmax, or start it earlier"};
}

/// A signature at every time step of the run and beyond.
struct Sampled {
  std::vector<double> before;  ///< those before t = 0
  std::vector<double> from_0;  ///< to the end of the run or of the signature, whichever comes later
  double greatest = 0;         ///< |s|
};

Sampled sample(const Signature& signature, double dt, int steps) {
  if ((signature.last - signature.first) / dt > most_samples) {
    throw Error(ExitCode::data,
                text("the wavelet (", signature.description, ") lasts ", signature.last - signature.first,
                     " s, over 10^7 time steps of ", dt, " s"),
                "take a higher frequency, or cut it");
  }
  if (signature.last <= 0) throw before_the_run(signature, 1);
  if (signature.first >= steps * dt) throw silent(signature, steps * dt);
  Sampled sampled;
  for (double n = std::ceil(signature.first / dt); n < 0; ++n) {
    sampled.before.push_back(signature.at(n * dt));
  }
  const int count = std::max(steps, static_cast<int>(std::ceil(signature.last / dt)) + 1);
  sampled.from_0.reserve(static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) sampled.from_0.push_back(signature.at(n * dt));
  const auto is_finite = [](double s) { return std::isfinite(s); };
  if (!std::ranges::all_of(sampled.before, is_finite) || !std::ranges::all_of(sampled.from_0, is_finite)) {
    throw Error(ExitCode::data, text("the wavelet (", signature.description, ") overflows when resampled"),
                "give seconds and values below 1e100");
  }
  sampled.greatest = std::max(greatest_of(sampled.before), greatest_of(sampled.from_0));
  return sampled;
}

/// Relative to the square of `greatest`.
double energy(std::span<const double> samples, double greatest) {
  double sum = 0;
  for (const double s : samples) sum += (s / greatest) * (s / greatest);
  return sum;
}

/// From the first sample of note on, t = 0 at the earliest, to the last; there is one.
std::span<const double> audible(const Sampled& sampled) {
  const auto is_note = [&](double s) { return std::abs(s) > negligible_share * sampled.greatest; };
  const auto& s = sampled.from_0;
  const auto first = std::ranges::find_if(s, is_note);
  const auto last = std::find_if(s.rbegin(), s.rend(), is_note).base();
  return {first, last};
}

/// Refuses what the run would lose, or notes it.
void check_extent(const Signature& signature, const Sampled& sampled, double dt, int steps,
                  std::vector<Note>& notes) {
  const double tmax = steps * dt, greatest = sampled.greatest;
  if (greatest == 0) {
    throw Error(ExitCode::data, text("the wavelet (", signature.description, ") is zero throughout"),
                "give a signal");
  }
  const std::span<const double> from_0 = sampled.from_0, in_run = from_0.first(steps);
  const double lost = energy(sampled.before, greatest), left = energy(from_0, greatest);
  const double lost_share = lost / (lost + left);
  if (lost_share > most_energy_dropped) throw before_the_run(signature, lost_share);
  if (greatest_of(in_run) <= silent_share * greatest) throw silent(signature, tmax);
  if (lost_share > noted_energy_share) {
    notes.push_back({text(percent(lost_share), " of the wavelet's energy lies before t = 0 and is cut off"),
                     "energy before t = 0", lost_share});
  }
  if (const double jump = std::abs(from_0[0]) / greatest; jump > jump_share) {
    notes.push_back({text("the wavelet starts with a jump of ", percent(jump), " of its greatest value"),
                     "a jump", jump});
  }
  const double after = energy(from_0.subspan(steps), greatest);
  if (after > noted_energy_share * left) {
    notes.push_back({text("the run ends at ", tmax, " s, and ", percent(after / left),
                          " of the wavelet's energy comes after it"),
                     "energy after the run", after / left});
  }
}

}  // namespace

double Wavelet::delay() const {
  const auto greatest = std::ranges::max_element(samples, {}, [](double s) { return std::abs(s); });
  return static_cast<double>(greatest - samples.begin()) * dt;
}

int Wavelet::end() const {
  double greatest = 0;
  for (const double s : samples) {
    if (std::isfinite(s)) greatest = std::max(greatest, std::abs(s));
  }
  const auto is_negligible = [&](double s) { return std::abs(s) <= negligible_share * greatest; };
  const auto last = std::find_if_not(samples.rbegin(), samples.rend(), is_negligible);
  return static_cast<int>(samples.rend() - last);
}

Wavelet make_wavelet(const std::string& spec, double dt, int steps) {
  const Signature signature = make_signature(spec);
  Sampled sampled = sample(signature, dt, steps);
  Wavelet wavelet;
  wavelet.notes = signature.notes;
  check_extent(signature, sampled, dt, steps, wavelet.notes);
  const Spectrum spectrum = measure_spectrum(audible(sampled), dt);
  wavelet.peak_frequency = spectrum.peak;
  wavelet.max_frequency = spectrum.max;
  sampled.from_0.resize(static_cast<std::size_t>(steps));
  wavelet.samples = std::move(sampled.from_0);
  wavelet.dt = dt;
  wavelet.description = signature.description;
  wavelet.unit = signature.unit;
  return wavelet;
}

}  // namespace minimod
