/// The unit that a shot is computed in. The wave equation is linear, and floats lose what is far from 1: a
/// run whose signatures are is given them over a power of two, and what it leaves is multiplied by that.
#pragma once

#include <span>

#include "src/base/reals.hpp"

namespace minimod {

/// For a shot whose greatest |s| is `amplitude`: 1 for amplitudes of 2^-32 to 2^32, whose waves a float holds
/// to its precision, and for those that the run's precision does not hold, else the power of two at or below
/// it.
[[nodiscard]] double run_scale_of(double amplitude, Precision precision);

/// Values of a run become those of the shot. Error 65 where their precision does not hold them.
template <class Real>
void scale_up(std::span<Real> values, double scale);

/// The same for reals of either precision. Tells where what is kept of the greatest has not the
/// precision of its type any more.
void scale_traces(Reals& traces, double scale);

}  // namespace minimod
