/// The source's signature s(t), sampled at the run's time steps.
#pragma once

#include <string>
#include <vector>

#include "src/wavelets/signature.hpp"
#include "src/wavelets/time_axis.hpp"

namespace minimod {

struct Wavelet {
  std::vector<double> samples;  ///< s(t_n) at t_n = first + n dt, n = 0 .. steps - 1
  double amplitude = 0;         ///< the greatest |s|, also before and after the run
  std::vector<double> fed;      ///< samples that the scheme is given in their place: the same, or warped
  double dt = 0;                ///< s
  double first = 0;             ///< s, t of the first sample
  double onset = 0;             ///< s, where |s| is first over 1e-3 of the greatest, perhaps after the run
  double peak_frequency = 0;    ///< where the amplitude spectrum is greatest, Hz (0 for a Gaussian)
  double max_frequency = 0;     ///< f_max, Hz: what the grid and the absorbing boundary must resolve
  /// When it is greatest, s: what a trace must be shifted by to show travel times.
  [[nodiscard]] double delay() const;
  /// The fed samples before its end: behind them all are under 1e-6 of the greatest finite |s|. 0 when all
  /// are 0.
  [[nodiscard]] int end() const;
  std::string description;  ///< for the log and the gather: "ricker, f = 15 Hz, t0 = 0.1 s"
  std::string unit;         ///< unit of the samples
  std::vector<Note> notes;  ///< notes for the user about it
};

/// Where |s| is greatest, s, to 1e-6 of `dt` (s) or better where s is smooth. Errors: 65 as in make_wavelet.
[[nodiscard]] double peak_time(const Signature& signature, double dt);

/// The signature `by` seconds earlier.
[[nodiscard]] Signature earlier(const Signature& signature, double by);

/// Makes the wavelet that `spec` names, at `steps` times `dt` (s) apart:
///
/// - `ricker:f=15[,t0=0.1]`: (1 - 2a) e^-a with a = (pi f (t - t0))^2, peak frequency f (Hz);
/// - `gaussian:f=15[,t0=0.1]`: e^-a, whose amplitude spectrum falls to 1/e of its value at 0 Hz at f;
/// - `ormsby:f=5/10/40/50[,t0=0.2][,window=0.6]`: zero phase, its amplitude spectrum a trapezoid;
/// - `klauder:f=10/60,T=8[,t0=0.2][,window=0.4]`: the autocorrelation of a linear sweep of T s;
/// - `minimum:` before any other form or file: the minimum phase of its amplitude spectrum, from t = 0 on;
/// - a text file: two columns hold the time (s, increasing) and the value; one column holds the samples from
///   t = 0 on, and then `w.txt@dt=1e-3` says how far apart they are. Comments (#), blank lines, CRLF, a byte
///   order mark, commas, semicolons and tabs are accepted;
/// - an HDF5 file, `w.h5[:/dataset]` (.h5, .hdf5; the dataset /wavelet without a name): its times are those
///   of its attributes `dt` and `first_time` (s; 0 without it), of a dataset `time` (s) of its length in the
///   same group, or of
///   @dt. Its attribute `units` is the wavelet's. A shot gather is such a file.
///
/// t0 is 1.5 / f unless given, so that s starts at 1e-8 or less. Of the two longer forms a Hann window keeps
/// `window` s to either side of t0, which is that length unless given, so that s starts at 0. Files are
/// resampled with the natural cubic spline through their samples; s is 0 before the first sample and after
/// the last.
///
/// The spectrum is that of the samples at the run's time steps from t = 0 to the signature's end, which may
/// lie behind the run's: what a run sees does not depend on what would have come after it.
///
/// Fed samples are warped for `corrected` (time_dispersion.hpp), from all of the signature.
///
/// Notes: a jump at the start (over 1e-3 of the greatest |s|), energy before t = 0 or after the end of the
/// run (over 1e-3 of all), uneven times. Errors: 64 a wrong spec; 66 a missing file; 65 a wrong file (as
/// file:line:column in a text file), gaps in its times, over 1 % of the energy before t = 0, where no run
/// is, a signature that is silent (under 1e-12 of its greatest |s|) until the run has ended, or one of over
/// 10^7 time steps.
[[nodiscard]] Wavelet make_wavelet(const std::string& spec, double dt, int steps);

/// Samples a signature, with the notes and errors above, at the time steps of a run that may begin before t =
/// 0.
[[nodiscard]] Wavelet make_wavelet(const Signature& signature, const TimeAxis& times);

}  // namespace minimod
