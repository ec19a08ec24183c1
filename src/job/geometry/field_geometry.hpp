/// The geometry of field data: shots and stations with the numbers that they were given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/grid.hpp"

namespace minimod {

/// Positions with their numbers.
struct Stations {
  std::vector<Point3> positions;  ///< m, z down
  std::vector<std::int64_t> numbers;
};

/// Traces that were recorded together.
struct FieldRecord {
  int number = 0;
  Point3 source;      ///< m, z down
  Stations stations;  ///< stations of its traces, in their order; empty where the file has none
};

/// Whether `spec` is a file of field data by its suffix: SEG-Y (.sgy, .segy) or SPS (.sps, .rps, .s, .r,
/// .s01, .r01 and the like), in small or capital letters.
[[nodiscard]] bool is_field_file(const std::string& spec);

/// The shots of a file, in the order of their numbers.
///
/// - SEG-Y: traces of one field record (bytes 9-12), whose source is at sx, sy (73-80) with the scalar of
///   71-72 and at the depth sdepth - selev (49-52, 45-48) with that of 69-70. Their stations are gx, gy
///   (81-88) at the depth -gelev (41-44), with the trace numbers of 13-16.
/// - SPS 2.1 (SEG, 2006), records S: point number (columns 12-21), easting (47-55) and northing (56-65) as x
///   and y, and the depth of the point (31-34) less its elevation (66-71). A line is left out here: the
///   numbers of points must not come again.
///
/// `memory_limit` (bytes) is what the positions may take. Errors: 65 no shots, angles for coordinates, traces
/// of one record with different sources, a number below 0, one that comes again, a line that is no record of
/// SPS, as file:line:column; 66, 77; 71 more positions than the limit.
[[nodiscard]] std::vector<FieldRecord> read_field_records(const std::string& path, std::int64_t memory_limit);

/// The stations of a file, each once, in its order: of SEG-Y those of all traces, with the trace number of
/// the first; of SPS those of the records R, with their point numbers. Errors: as read_field_records.
[[nodiscard]] Stations read_stations(const std::string& path, std::int64_t memory_limit);

}  // namespace minimod
