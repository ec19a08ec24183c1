/// Where the traces of a SEG-Y model stand.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "models/file_coordinates.hpp"

namespace minimod {

/// What the header of a trace says that matters to a model.
struct TraceHeader {
  double x = 0, y = 0;       ///< m
  double unit = 1;           ///< of the coordinates, m
  int coordinate_units = 0;  ///< 0 not said, 1 lengths; 2, 3 and 4 are angles
  int inline_number = 0, crossline_number = 0;
  double first_depth = 0;  ///< m, of the first sample
  int interval = 0;        ///< between samples, thousandths of a unit of length; 0 where it does not say
};

/// A rectangle of traces: `trace_at[row * columns + column]` is a trace's place in the file.
struct TraceGrid {
  int columns = 0;
  int rows = 1;
  std::vector<int> trace_at;

  [[nodiscard]] const TraceHeader& at(const std::vector<TraceHeader>& traces, int column, int row) const {
    return traces[static_cast<std::size_t>(trace_at[static_cast<std::size_t>(row) * columns + column])];
  }
};

struct SegyGeometry {
  TraceGrid grid;
  bool columns_along_x = true;  ///< else the rows are
  Point3 spacing;               ///< m; z is not set
  FileCoordinates coordinates;  ///< of the trace of column 0 and row 0; z is not set
  std::vector<std::string> notes;
};

/// Crosslines as columns and inlines as rows where both vary, a section in the order of the file where they
/// do not. x of the model is the direction that is nearer to the x coordinate (that of the crosslines where
/// there are no coordinates), and both axes are turned so that their coordinate grows: a grid may lie
/// obliquely, and crosslines may be numbered against their coordinate. Without `use_coordinates` these only
/// say which way the axes run.
///
/// Errors: 65 when there are more traces than a section has and they do not fill the rectangle; when
/// coordinates are used and are no lengths, uneven, or those of a grid that is not rectangular.
[[nodiscard]] SegyGeometry arrange_traces(const std::vector<TraceHeader>& traces,
                                          const std::filesystem::path& path, bool use_coordinates);

}  // namespace minimod
