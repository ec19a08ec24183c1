/// The error of the steps in time, taken out of a shot before and after them.
///
/// The scheme (u⁺ − 2u + u⁻)/Δt² = V²(∇²u + s) is in frequency −Ω² û(ω) = V²(∇²û(ω) + ŝ(ω)) with
///
///     Ω = (2/Δt) sin(ωΔt/2):
///
/// the scheme's field at ω is, exactly, that of continuous time at Ω for the same ŝ. So ŝ(Ω(ω)) is fed in
/// place of ŝ(ω), and û(ω(Ω)), ω = (2/Δt) asin(ΩΔt/2), is the trace that belongs to ŝ(Ω) (Stork, SEG 2013;
/// Wang & Xu, Geophysics 80, 2015; Koene et al., Geophys. J. Int. 213, 2018). The error of the steps in space
/// stays.
///
/// Angles are ωΔt: what is done depends on the samples alone.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/base/choices.hpp"
#include "src/base/reals.hpp"
#include "src/base/spectra/nonuniform_spectrum.hpp"

namespace minimod {

enum class TimeDispersion { corrected, as_is };
inline constexpr NamedChoice<TimeDispersion> time_dispersion_names[] = {
    {TimeDispersion::corrected, "corrected"}, {TimeDispersion::as_is, "as-is"}};
/// Attribute of gathers and snapshots.
inline constexpr const char* time_dispersion_attribute = "time_dispersion";

/// The frequency (Hz) up to which samples that are `record_every` steps of `dt` (s) apart tell waves apart:
/// Nyquist's, or, where the traces are corrected, the one that waves have after the correction which the
/// scheme gives Nyquist's.
[[nodiscard]] double recorded_nyquist(double dt, int record_every, TimeDispersion dispersion);

/// Samples to feed for a signature `samples` at the time steps from t = 0 on, in `steps` steps. Waves of 4.2
/// steps and more are warped. Shorter ones, which no grid carries, are warped less and less, and that of 2
/// steps not at all, so that a jump or a single sample stays one. The few samples before t = 0 that a jump at
/// its start asks for are left out.
[[nodiscard]] std::vector<double> warped_signature(std::span<const double> samples, std::size_t steps);

/// The transpose of that, which takes derivatives by the samples that are fed to those by the signature's at
/// the time steps, as many as `samples` of it.
[[nodiscard]] std::vector<double> transpose_warp(std::span<const double> by_fed, std::size_t samples);

/// Corrects traces of one length. Waves of under 4.1 steps or two samples are taken out, which a trace
/// recorded without aliasing does not have. A trace that ends within an arrival has errors in its last
/// samples: 3 % and less of the arrival beyond 20 steps from its end at 1500 steps, 1e-4 beyond 30.
class TraceCorrection {
 public:
  /// \param samples Of each trace, the first at t = 0
  /// \param record_every Steps between two samples
  TraceCorrection(std::size_t samples, int record_every);

  template <class Real>
  void apply(std::span<Real> trace) const;
  /// The transpose: derivatives by a corrected trace become those by the one that the scheme leaves.
  void apply_transposed(std::span<double> trace) const;

  /// Memory of one and of `threads` that apply it or its transpose, bytes.
  [[nodiscard]] static std::size_t bytes_needed(std::size_t samples, int record_every, int threads);

 private:
  struct Band;
  TraceCorrection(std::size_t samples, const Band& band);

  std::size_t samples_;
  Fft fft_;                      ///< transform of the corrected trace and the silence behind it
  std::vector<double> weights_;  ///< weights of the frequencies from 0 on, as far as they are kept
  NonuniformSpectrum spectrum_;  ///< spectrum of a trace and its continuation at the scheme's frequencies
};

/// Corrects traces [receiver][samples] over all cores: the bits of a trace depend on nothing else.
void correct_traces(Reals& traces, std::size_t samples, int record_every);

/// The transpose of that, which takes derivatives by corrected traces to derivatives by those that the scheme
/// leaves. A trace costs two FFTs, as its correction does.
void transpose_correction(std::vector<double>& traces, std::size_t samples, int record_every);

}  // namespace minimod
