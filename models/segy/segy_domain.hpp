/// Whether the samples of a SEG-Y model are in depth or in time, which the format leaves open.
#pragma once

#include <filesystem>

#include "kernels/grid.hpp"
#include "models/segy/segy_geometry.hpp"
#include "src/base/segy/segy_input.hpp"

namespace minimod {

/// Errors: 65 where the file seems to be in time, its interval read as a depth step in `spacing` (m).
///
/// The kind of the traces (bytes 29-30) says depth as 25 (SEG-Y revision 2.0, 2017) or 130 (Seismic Unix),
/// and time as 22 or 23 (pairs of times and values), or as 1 in a file of revision 2. All other kinds, and 1
/// in older files, are written in both. Then steps decide: recordings, and the cubes in time that are made of
/// them, are sampled every millisecond times a power of two, mostly a fraction of the distance of traces if
/// it is read as metres; models for waves have similar steps along all axes. An interval of that kind is one
/// of time where traces are over twice as far apart. So is a depth that no model of rock has.
void require_depth(const TraceHeader& first, const segy::InputHeader& header, Point3 spacing,
                   const std::filesystem::path& path);

}  // namespace minimod
