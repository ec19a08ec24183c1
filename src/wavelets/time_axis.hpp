/// The steps of a run in time, and which of them its traces have.
#pragma once

#include "src/wavelets/time_dispersion.hpp"

namespace minimod {

struct TimeAxis {
  double dt = 0;  ///< s
  int steps = 0;
  double first = 0;  ///< s, of the first step: 0, or before it where the wavelets begin there
  TimeDispersion dispersion = TimeDispersion::as_is;
  int record_every = 1;  ///< steps between two samples of a trace

  [[nodiscard]] double at(double step) const { return first + step * dt; }
  [[nodiscard]] double record_dt() const { return dt * record_every; }
  /// Samples of each trace, the first step's included.
  [[nodiscard]] int samples() const { return steps / record_every + 1; }
};

}  // namespace minimod
