/// Where the traces of a SEG-Y model stand.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/file_coordinates.hpp"
#include "models/segy/segy_rows.hpp"

namespace minimod {

struct SegyGeometry {
  TraceGrid grid;
  bool columns_along_x = true;  ///< else the rows are
  Point3 spacing;               ///< m; z is not set
  FileCoordinates coordinates;  ///< coordinates of the trace of column 0 and row 0; z is not set
  std::vector<std::string> notes;
};

/// How coordinates count.
struct CoordinateUse {
  bool for_spacing = true;  ///< else they only say which way the axes run
  double metres = 1;        ///< metres of the unit of length that the file is in
};

/// Rows and columns as arrange_rows has them. x of the model is the direction that is nearer to the x
/// coordinate (that of the columns where there are no coordinates), and both axes are turned so that their
/// coordinate grows: a grid may lie obliquely, and crosslines may be numbered against their coordinate. A
/// spacing is the roundest length, in the file's unit, that the rounding of the coordinates leaves open.
///
/// Errors: those of arrange_rows; 65 when coordinates are used and are no lengths, uneven, or those of a grid
/// that is not rectangular.
[[nodiscard]] SegyGeometry arrange_traces(const std::vector<TraceHeader>& traces, const RowWishes& wishes,
                                          CoordinateUse use, const std::filesystem::path& path);

}  // namespace minimod
