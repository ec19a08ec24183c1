/// The source's signature s(t), sampled at the run's time steps.
#pragma once

#include <string>
#include <vector>

namespace minimod {

struct Wavelet {
  std::vector<double> samples;  ///< s(t_n) at t_n = n dt, n = 0 .. steps - 1
  double dt = 0;                ///< s
  double peak_frequency = 0;    ///< where the amplitude spectrum is greatest, Hz (0 for a Gaussian)
  double max_frequency = 0;     ///< f_max, Hz: what the grid and the absorbing boundary must resolve
  /// When it is greatest, s: what a trace must be shifted by to show travel times.
  [[nodiscard]] double delay() const;
  /// The samples before its end: behind them all are under 1e-6 of the greatest finite |s|. 0 when all are 0.
  [[nodiscard]] int end() const;
  std::string description;  ///< for the log and the gather: "ricker, f = 15 Hz, t0 = 0.1 s"
};

/// The Ricker wavelet (1 − 2a) e^−a, a = (π f (t − t0))², 0 where a overflows e^−a.
[[nodiscard]] double ricker(double t, double f, double t0);

/// Makes the wavelet that `spec` names, at `steps` times `dt` (s) apart:
///
/// - `ricker:f=15[,t0=0.1]`: (1 - 2a) e^-a with a = (pi f (t - t0))^2, peak frequency f (Hz), f_max = 2.5 f;
/// - `gaussian:f=15[,t0=0.1]`: e^-a, whose amplitude spectrum falls to 1/e of its value at 0 Hz at f; 99 % of
/// its
///   energy lies under f_max = 1.288 f;
/// - a text file: one column holds s(t_n) at the run's own dt; two columns hold the time (s, increasing) and
/// the
///   value. Comments (#), blank lines, CRLF, a byte order mark, commas and tabs are accepted;
/// - an HDF5 file (.h5, .hdf5): the dataset `/wavelet` with an attribute `dt` (s), first sample at t = 0. A
/// shot
///   gather is such a file.
///
/// t0 is 1.5 / f unless given, so that s starts at 1e-8 or less. Two columns and HDF5 are resampled with the
/// natural cubic spline through the samples; s is 0 before the first sample and after the last. f_max of a
/// file is the frequency under which 99 % of the energy of its samples lies (of as many, evenly spaced, where
/// its times are uneven); it does not depend on `dt` where the file has times of its own.
///
/// Errors: 64 a wrong spec; 66 a missing file; 65 a wrong file (as file:line:column in a text file).
[[nodiscard]] Wavelet make_wavelet(const std::string& spec, double dt, int steps);

}  // namespace minimod
