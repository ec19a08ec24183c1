#include "models/segy/segy_geometry.hpp"

#include <algorithm>
#include <cmath>

#include "models/readers.hpp"
#include "src/base/option.hpp"

namespace minimod {
namespace {

/// From column to column and from row to row.
struct Steps {
  TraceStep column, row;
};

TraceStep step_between(const TraceHeader& first, const TraceHeader& last, int count) {
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
  throw file_error(
      path,
      text("has coordinate units ", angle->coordinate_units, " in trace ", angle - traces.begin() + 1,
           ", which are no lengths (1)"),
      text("give projected coordinates, or ", option("model-spacing"), ", with which they are not read"));
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
        throw file_error(path,
                         text("has trace ", grid.trace_at[cell] + 1, " at (", trace.x, ", ", trace.y,
                              ") m, evenly spaced it would be at (", x, ", ", y, ")"),
                         "give the whole grid or " + option("model-spacing"));
      }
    }
  }
}

/// Errors: 65 when rows and columns are not at right angles.
void require_right_angle(const TraceGrid& grid, const Steps& steps, double unit,
                         const std::filesystem::path& path) {
  if (grid.rows < 2 || grid.columns < 2) return;
  const TraceStep c = steps.column.direction(), r = steps.row.direction();
  const double cosine = c.x * r.x + c.y * r.y;
  const double shift = std::abs(cosine) * steps.row.length() * (grid.rows - 1);
  constexpr double allowed = 0.1;  // share of a column, over the whole grid
  if (shift <= allowed * steps.column.length() + 2 * unit) return;
  constexpr double degrees = 57.29577951308232;
  throw file_error(
      path,
      text("has inlines and crosslines at an angle of ", std::acos(cosine) * degrees, " degrees, not 90"),
      "resample it on a rectangular grid");
}

/// The roundest number within `slack` of `value`, both above 0: a multiple of the greatest that there is of
/// 10, 5, 2.5, 1, 0.5, 0.25, 0.1 and so on. Of steps that are hardly greater than the slack most numbers have
/// a multiple near: these are not tried, and the value stays.
double roundest(double value, double slack) {
  constexpr double least = 4;  // steps, in slacks
  for (int power = static_cast<int>(std::floor(std::log10(value)));; --power) {
    const double ten = std::pow(10, std::abs(power));
    for (const double parts : {1.0, 2.0, 4.0}) {
      const double step = power < 0 ? 1 / (ten * parts) : ten / parts;
      if (step < least * slack) return value;
      // Divided by the whole number that 1 / step is, a decimal is the nearest double.
      const double multiple =
          power < 0 ? std::round(value * ten * parts) / (ten * parts) : std::round(value / step) * step;
      if (multiple > 0 && std::abs(multiple - value) <= slack) return multiple;
    }
  }
}

/// Length of a step (m) between the first and the last of `count` traces, whose coordinates are rounded to
/// whole units (m): either is off by half of one at most, along x and y.
double round_length(TraceStep step, int count, double unit, double metres) {
  constexpr double within = 0.999;  // all of it off is as likely a length of its own
  const double length = step.length();
  if (count < 2 || length == 0) return length;
  const TraceStep along = step.direction();
  const double slack = within * unit * (std::abs(along.x) + std::abs(along.y)) / (count - 1);
  return metres * roundest(length / metres, slack / metres);
}

/// x along the columns or rows, both axes with their coordinates.
void orient(SegyGeometry& geometry, Steps& steps) {
  TraceGrid& grid = geometry.grid;
  const TraceStep c = steps.column.direction(), r = steps.row.direction();
  const bool section = grid.rows == 1;
  if (!section && steps.column.length() == 0) {
    geometry.notes.push_back("x guessed to run along the crosslines (no coordinates)");
  }
  const bool level = std::abs(c.x) >= std::abs(section ? c.y : r.x);
  geometry.columns_along_x = section || level;
  double TraceStep::*const major = level ? &TraceStep::x : &TraceStep::y;
  double TraceStep::*const minor = level ? &TraceStep::y : &TraceStep::x;
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

SegyGeometry arrange_traces(const std::vector<TraceHeader>& traces, const RowWishes& wishes,
                            CoordinateUse use, const std::filesystem::path& path) {
  SegyGeometry geometry;
  geometry.grid = arrange_rows(traces, wishes, path);
  TraceGrid& grid = geometry.grid;
  if (!grid.note.empty()) geometry.notes.push_back(grid.note);
  Steps steps = steps_of(grid, traces);
  if (use.for_spacing) {
    require_lengths(traces, path);
    require_even(grid, steps, traces, path);
    require_right_angle(grid, steps, traces.front().unit, path);
  }
  orient(geometry, steps);
  const double column = round_length(steps.column, grid.columns, traces.front().unit, use.metres);
  const double row =
      grid.rows > 1 ? round_length(steps.row, grid.rows, traces.front().unit, use.metres) : column;
  geometry.spacing = geometry.columns_along_x ? Point3{column, row, 0} : Point3{row, column, 0};
  if (use.for_spacing) {
    const TraceHeader& first = grid.at(traces, 0, 0);
    const TraceStep x = (geometry.columns_along_x ? steps.column : steps.row).direction();
    geometry.coordinates = {{first.x, first.y, 0}, {x.x, x.y}};
  }
  return geometry;
}

}  // namespace minimod
