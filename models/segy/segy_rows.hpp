/// Rows of traces in a SEG-Y model.
#pragma once

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernels/grid.hpp"

namespace minimod {

/// The words of a trace's header that matter to a model.
struct TraceHeader {
  double x = 0, y = 0;                          ///< m
  double unit = 1;                              ///< unit of the coordinates, m
  int coordinate_units = 0;                     ///< 0 not said, 1 lengths; 2, 3 and 4 are angles
  int inline_number = 0, crossline_number = 0;  ///< where revision 1 has them, or an option says
  int record_number = 0, ensemble_number = 0;   ///< where older files have such (bytes 9-12, 21-24)
  int kind = 0;                                 ///< kind of the trace, by the table of the standard
  double first_depth = 0;                       ///< m, of the first sample
  int interval = 0;  ///< between samples, thousandths of a unit of length; 0 where it does not say
};

/// A rectangle of traces: `trace_at[row * columns + column]` is a trace's place in the file.
struct TraceGrid {
  int columns = 0;
  int rows = 1;
  std::vector<int> trace_at;
  std::string note;  ///< by what the traces were arranged, where not by their numbers of lines

  [[nodiscard]] const TraceHeader& at(const std::vector<TraceHeader>& traces, int column, int row) const {
    return traces[static_cast<std::size_t>(trace_at[static_cast<std::size_t>(row) * columns + column])];
  }
};

/// From a trace to another one, m.
struct TraceStep {
  double x = 0, y = 0;
  [[nodiscard]] double length() const { return std::hypot(x, y); }
  /// Direction, of length 1; the x axis where there is no direction.
  [[nodiscard]] TraceStep direction() const {
    return length() > 0 ? TraceStep{x / length(), y / length()} : TraceStep{1, 0};
  }
};

/// Wishes of the command line for the rows.
struct RowWishes {
  std::optional<Extent3> dims;  ///< points of the model
  bool numbers_said = false;    ///< words of the inlines and crosslines were said
};

/// Rows of traces by the first of these that makes a rectangle of them, each once:
///
/// 1. inlines as rows, crosslines as columns;
/// 2. where no option says which words these are: lines on the map, at right angles and evenly apart, in
///    any order of the file; field records (9-12) as rows and ensembles (21-24) as columns;
/// 3. dims, in the order of the file, x the fastest.
///
/// Traces that nothing tells to be of several lines are a section, in the order of the file. Several lines
/// are told by numbers that come again, and by a map on which traces turn back.
///
/// Errors: 65 when several lines make no rectangle, when dims are not those of so many traces.
[[nodiscard]] TraceGrid arrange_rows(const std::vector<TraceHeader>& traces, const RowWishes& wishes,
                                     const std::filesystem::path& path);

}  // namespace minimod
