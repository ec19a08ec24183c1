/// The signature of a source as a function of time, before a run samples it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/base/notes.hpp"

namespace minimod {

struct Signature {
  std::function<double(double)> at;  ///< s(t), t in s
  double first = 0, last = 0;        ///< s; outside them s is 0, or under 1e-14 of its greatest
  std::string description;           ///< for the log and the gather: "ricker, f = 15 Hz, t0 = 0.1 s"
  std::string unit = "source unit";  ///< unit of s
  std::vector<Note> notes;           ///< notes for the user about it
};

/// The Ricker wavelet (1 − 2a) e^−a, a = (π f (t − t0))², 0 where a overflows e^−a.
[[nodiscard]] double ricker(double t, double f, double t0);

/// Whether `spec` begins with the name of a form: "ricker", "ormsby", "minimum", …
[[nodiscard]] bool names_form(const std::string& spec);

/// The form or the file that `spec` names, as make_wavelet says. Errors: 64 a wrong form; of files those of
/// read_wavelet_file.
[[nodiscard]] Signature make_signature(const std::string& spec);

/// From a file, as make_wavelet says. Errors: 64 a wrong or needless @dt, or none where it is needed; 66 a
/// missing file; 65 a wrong one (as file:line:column in a text file).
[[nodiscard]] Signature read_wavelet_file(const std::string& spec);

/// The spline through samples that are `dt` apart from `first` (s) on; `name` is for notes. Errors: 65 fewer
/// than two samples or more than 10^7, one that is not finite, a dt that is none.
[[nodiscard]] Signature sampled_signature(std::vector<double> samples, double dt, double first,
                                          const std::string& name);

}  // namespace minimod
