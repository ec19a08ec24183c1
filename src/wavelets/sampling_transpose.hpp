/// The transpose of the way from the samples of a signature to those that the scheme is given.
#pragma once

#include <span>
#include <vector>

#include "src/wavelets/time_axis.hpp"

namespace minimod {

/// Takes derivatives by the samples that a run is fed, one a step, to those by the `count` samples `dt` (s)
/// apart from `first` (s) on through which the spline of sampled_signature goes.
[[nodiscard]] std::vector<double> transpose_sampling(std::span<const double> by_fed, const TimeAxis& times,
                                                     std::size_t count, double dt, double first);

}  // namespace minimod
