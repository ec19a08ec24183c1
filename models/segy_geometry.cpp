#include "models/segy_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "models/readers.hpp"

namespace minimod {
namespace {

std::vector<int> distinct(const std::vector<TraceHeader>& traces, int TraceHeader::*number) {
  std::vector<int> values;
  values.reserve(traces.size());
  for (const TraceHeader& trace : traces) values.push_back(trace.*number);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

int position_of(const std::vector<int>& sorted, int value) {
  return static_cast<int>(std::ranges::lower_bound(sorted, value) - sorted.begin());
}

TraceGrid section_of(const std::vector<TraceHeader>& traces) {
  TraceGrid grid{static_cast<int>(traces.size()), 1, std::vector<int>(traces.size())};
  std::iota(grid.trace_at.begin(), grid.trace_at.end(), 0);
  return grid;
}

/// Crosslines as columns and inlines as rows where both vary, a section where they do not. Errors: 65 when
/// there are more traces than a section has and they do not fill the rectangle.
TraceGrid arrange(const std::vector<TraceHeader>& traces, const std::filesystem::path& path) {
  const auto inlines = distinct(traces, &TraceHeader::inline_number);
  const auto crosslines = distinct(traces, &TraceHeader::crossline_number);
  // A section across a survey changes both numbers, each at most once a trace.
  const bool section = traces.size() == std::max(inlines.size(), crosslines.size());
  if (inlines.size() == 1 || crosslines.size() == 1 || section) return section_of(traces);

  TraceGrid grid{static_cast<int>(crosslines.size()), static_cast<int>(inlines.size()), {}};
  const auto cells = static_cast<std::uint64_t>(crosslines.size()) * inlines.size();
  bool fills = cells == traces.size();
  if (fills) grid.trace_at.assign(cells, -1);
  for (std::size_t i = 0; fills && i < traces.size(); ++i) {
    const auto row = static_cast<std::size_t>(position_of(inlines, traces[i].inline_number));
    const int column = position_of(crosslines, traces[i].crossline_number);
    int& cell = grid.trace_at[row * crosslines.size() + static_cast<std::size_t>(column)];
    fills = cell < 0;
    cell = static_cast<int>(i);
  }
  if (fills) return grid;
  throw model_error(path,
                    text("holds ", traces.size(), " traces, which do not fill its ", inlines.size(),
                         " inlines x ", crosslines.size(), " crosslines once"),
                    "give the whole grid or a section");
}

/// From a trace to the next one, m.
struct Step {
  double x = 0, y = 0;
  [[nodiscard]] double length() const { return std::hypot(x, y); }
  /// Of length 1; the x axis where there is no direction.
  [[nodiscard]] Step direction() const {
    return length() > 0 ? Step{x / length(), y / length()} : Step{1, 0};
  }
};

/// From column to column and from row to row.
struct Steps {
  Step column, row;
};

Step step_between(const TraceHeader& first, const TraceHeader& last, int count) {
  if (count < 2) return {};
  return {(last.x - first.x) / (count - 1), (last.y - first.y) / (count - 1)};
}

Steps steps_of(const TraceGrid& grid, const std::vector<TraceHeader>& traces) {
  const TraceHeader& first = grid.at(traces, 0, 0);
  return {step_between(first, grid.at(traces, grid.columns - 1, 0), grid.columns),
          step_between(first, grid.at(traces, 0, grid.rows - 1), grid.rows)};
}

/// Column 0 becomes the last one.
void reverse_columns(TraceGrid& grid) {
  for (auto row = grid.trace_at.begin(); row != grid.trace_at.end(); row += grid.columns) {
    std::reverse(row, row + grid.columns);
  }
}

/// Row 0 becomes the last one.
void reverse_rows(TraceGrid& grid) {
  std::ranges::reverse(grid.trace_at);
  reverse_columns(grid);
}

void require_lengths(const std::vector<TraceHeader>& traces, const std::filesystem::path& path) {
  const auto angle = std::ranges::find_if(
      traces, [](const TraceHeader& t) { return t.coordinate_units != 0 && t.coordinate_units != 1; });
  if (angle == traces.end()) return;
  throw model_error(path,
                    text("has coordinate units ", angle->coordinate_units, " in trace ",
                         angle - traces.begin() + 1, ", which are no lengths (1)"),
                    "give projected coordinates, or --model-spacing, with which they are not read");
}

/// Errors: 65 when a trace is further from its place than its coordinates are rounded.
void require_even(const TraceGrid& grid, const Steps& steps, const std::vector<TraceHeader>& traces,
                  const std::filesystem::path& path) {
  const TraceHeader& first = grid.at(traces, 0, 0);
  // Half a unit for the trace and half for each end of the line that it stands on.
  const double units = grid.rows == 1 ? 1 : 2;
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      const TraceHeader& trace = grid.at(traces, column, row);
      const double x = first.x + column * steps.column.x + row * steps.row.x;
      const double y = first.y + column * steps.column.y + row * steps.row.y;
      const double tolerance = units * trace.unit * (1 + 1e-6);
      if (std::abs(trace.x - x) > tolerance || std::abs(trace.y - y) > tolerance) {
        const auto cell = static_cast<std::size_t>(row) * grid.columns + column;
        throw model_error(path,
                          text("has trace ", grid.trace_at[cell] + 1, " at (", trace.x, ", ", trace.y,
                               ") m, evenly spaced it would be at (", x, ", ", y, ")"),
                          "give the whole grid or --model-spacing");
      }
    }
  }
}

/// Errors: 65 when rows and columns are not at right angles.
void require_right_angle(const TraceGrid& grid, const Steps& steps, double unit,
                         const std::filesystem::path& path) {
  if (grid.rows < 2 || grid.columns < 2) return;
  const Step c = steps.column.direction(), r = steps.row.direction();
  const double cosine = c.x * r.x + c.y * r.y;
  const double shift = std::abs(cosine) * steps.row.length() * (grid.rows - 1);
  constexpr double allowed = 0.1;  // of a column, over the whole grid
  if (shift <= allowed * steps.column.length() + 2 * unit) return;
  constexpr double degrees = 57.29577951308232;
  throw model_error(
      path,
      text("has inlines and crosslines at an angle of ", std::acos(cosine) * degrees, " degrees, not 90"),
      "resample it on a rectangular grid");
}

/// x along the columns or rows, both axes with their coordinates.
void orient(SegyGeometry& geometry, Steps& steps) {
  TraceGrid& grid = geometry.grid;
  const Step c = steps.column.direction(), r = steps.row.direction();
  const bool section = grid.rows == 1;
  if (!section && steps.column.length() == 0) {
    geometry.notes.push_back("x guessed to run along the crosslines (no coordinates)");
  }
  const bool level = std::abs(c.x) >= std::abs(section ? c.y : r.x);
  geometry.columns_along_x = section || level;
  double Step::*const major = level ? &Step::x : &Step::y;
  double Step::*const minor = level ? &Step::y : &Step::x;
  if (steps.column.*major < 0) {
    reverse_columns(grid);
    steps.column = {-steps.column.x, -steps.column.y};
    geometry.notes.push_back("columns of traces turned to run with their coordinate");
  }
  if (steps.row.*minor < 0) {
    reverse_rows(grid);
    steps.row = {-steps.row.x, -steps.row.y};
    geometry.notes.push_back("rows of traces turned to run with their coordinate");
  }
}

}  // namespace

SegyGeometry arrange_traces(const std::vector<TraceHeader>& traces, const std::filesystem::path& path,
                            bool use_coordinates) {
  SegyGeometry geometry;
  geometry.grid = arrange(traces, path);
  TraceGrid& grid = geometry.grid;
  Steps steps = steps_of(grid, traces);
  if (use_coordinates) {
    require_lengths(traces, path);
    require_even(grid, steps, traces, path);
    require_right_angle(grid, steps, traces.front().unit, path);
  }
  orient(geometry, steps);
  const double column = steps.column.length(), row = grid.rows > 1 ? steps.row.length() : column;
  geometry.spacing = geometry.columns_along_x ? Point3{column, row, 0} : Point3{row, column, 0};
  if (use_coordinates) {
    const TraceHeader& first = grid.at(traces, 0, 0);
    const Step x = (geometry.columns_along_x ? steps.column : steps.row).direction();
    geometry.coordinates = {{first.x, first.y, 0}, {x.x, x.y}};
  }
  return geometry;
}

}  // namespace minimod
