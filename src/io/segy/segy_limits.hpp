/// Limits of SEG-Y's headers, so that a run beyond them is refused before it starts.
#pragma once

#include <cstdint>

#include "models/file_coordinates.hpp"

namespace minimod {

/// Microseconds between two samples `dt` s apart. Error 65, which names --record-dt, where they are no whole
/// number or over 32767.
[[nodiscard]] int segy_interval(double dt);

/// The longest time step up to `dt` s that SEG-Y can say. Error 65 for one under a microsecond.
[[nodiscard]] double segy_time_step(double dt);

/// Error 65 as segy_interval, and for more than 32767 samples, with --record-dt and --tmax.
void require_segy_sampling(double record_dt, std::int64_t samples);

/// The standard's scalar for positions of up to `greatest` m from 0: -1000 for mm, else -100, -10 or 1, so
/// that they fit 32 bits. Error 65 where they do not.
[[nodiscard]] int segy_scalar(double greatest);

/// Error 65 where a corner of a model of `extent` m, which lies at `place`, does not fit.
void require_segy_positions(const FileCoordinates& place, Point3 extent);

}  // namespace minimod
