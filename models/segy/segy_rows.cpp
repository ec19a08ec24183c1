#include "models/segy/segy_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "models/readers.hpp"
#include "src/base/option.hpp"

namespace minimod {
namespace {

using Traces = std::vector<TraceHeader>;

/// Rank of each trace's value among the different ones.
struct TraceRanks {
  std::vector<int> of_trace;
  int count = 0;  ///< number of different values
};

/// Values no farther apart than `gap` are one.
TraceRanks ranks_of(const std::vector<double>& values, double gap) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&values](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  TraceRanks ranks{std::vector<int>(values.size()), values.empty() ? 0 : 1};
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && values[order[i]] - values[order[i - 1]] > gap) ++ranks.count;
    ranks.of_trace[order[i]] = ranks.count - 1;
  }
  return ranks;
}

TraceRanks ranks_of(const Traces& traces, int TraceHeader::*number) {
  std::vector<double> values;
  values.reserve(traces.size());
  for (const TraceHeader& trace : traces) values.push_back(trace.*number);
  return ranks_of(values, 0);
}

/// The two numbers of each trace.
struct LineNumbers {
  TraceRanks inlines, crosslines;

  [[nodiscard]] bool both_vary() const { return inlines.count > 1 && crosslines.count > 1; }
  /// Says whether numbers come again: in a section across a survey at least one is another at every trace.
  [[nodiscard]] bool come_again(const Traces& traces) const {
    const auto most = static_cast<std::size_t>(std::max(inlines.count, crosslines.count));
    return most > 1 && most < traces.size();
  }
};

/// Nothing where the traces do not fill the rectangle once, or are one line.
std::optional<TraceGrid> filled(const TraceRanks& rows, const TraceRanks& columns, const std::string& note) {
  const std::size_t count = rows.of_trace.size();
  const auto cells = static_cast<std::uint64_t>(rows.count) * static_cast<std::uint64_t>(columns.count);
  if (rows.count < 2 || columns.count < 2 || cells != count) return std::nullopt;
  TraceGrid grid{columns.count, rows.count, std::vector<int>(count, -1), note};
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<std::size_t>(rows.of_trace[i]);
    int& cell = grid.trace_at[row * columns.count + static_cast<std::size_t>(columns.of_trace[i])];
    if (cell >= 0) return std::nullopt;
    cell = static_cast<int>(i);
  }
  return grid;
}

TraceGrid in_order(int columns, int rows, std::string note) {
  TraceGrid grid{columns, rows, std::vector<int>(static_cast<std::size_t>(columns) * rows), std::move(note)};
  std::iota(grid.trace_at.begin(), grid.trace_at.end(), 0);
  return grid;
}

// ---- the map

TraceStep step_to(const TraceHeader& from, const TraceHeader& to) {
  return {to.x - from.x, to.y - from.y};
}

double product(TraceStep a, TraceStep b) {
  return a.x * b.x + a.y * b.y;
}

/// The traces from the first one on that are as far from each other.
struct FirstLine {
  std::size_t traces = 1;
  TraceStep step;
};

FirstLine first_line(const Traces& traces) {
  FirstLine line;
  if (traces.size() < 2) return line;
  const TraceStep first = step_to(traces[0], traces[1]);
  const double rounding = 2 * traces.front().unit * (1 + 1e-6);  // half a unit for each of four traces
  while (line.traces < traces.size()) {
    const TraceStep step = step_to(traces[line.traces - 1], traces[line.traces]);
    if (std::abs(step.x - first.x) > rounding || std::abs(step.y - first.y) > rounding) break;
    ++line.traces;
  }
  const TraceStep whole = step_to(traces.front(), traces[line.traces - 1]);
  const auto steps = static_cast<double>(line.traces - 1);
  line.step = {whole.x / steps, whole.y / steps};
  return line;
}

/// Positions along and across the first line; columns and rows are told apart by half the least distance.
/// Nothing where coordinates are no lengths, or the file does not begin with a line.
std::optional<TraceGrid> grid_of_map(const Traces& traces) {
  const FirstLine line = first_line(traces);
  const bool lengths = std::ranges::all_of(
      traces, [](const TraceHeader& t) { return t.coordinate_units == 0 || t.coordinate_units == 1; });
  if (!lengths || line.traces < 2 || line.traces == traces.size() || line.step.length() == 0)
    return std::nullopt;
  const TraceStep u = line.step.direction(), v{-u.y, u.x};
  std::vector<double> along, across;
  double farthest = 0;
  for (const TraceHeader& trace : traces) {
    const TraceStep away = step_to(traces.front(), trace);
    along.push_back(product(away, u));
    across.push_back(product(away, v));
    farthest = std::max(farthest, away.length());
  }
  // Rounding moves a trace, and turns the first line.
  const double length = line.step.length() * static_cast<double>(line.traces - 1);
  const double rounding = 1.5 * traces.front().unit * (1 + farthest / length);
  double apart = farthest;
  for (const double distance : across) {
    if (std::abs(distance) > rounding) apart = std::min(apart, std::abs(distance));
  }
  return filled(ranks_of(across, apart / 2), ranks_of(along, line.step.length() / 2),
                "rows of traces found by their coordinates");
}

/// Traces to which the step from the one before is against the first step of the file.
std::vector<std::size_t> turns_back(const Traces& traces) {
  std::vector<std::size_t> turns;
  TraceStep first;
  for (std::size_t i = 1; i < traces.size(); ++i) {
    const TraceStep step = step_to(traces[i - 1], traces[i]);
    if (first.length() == 0) first = step;
    if (product(step, first.direction()) < -2 * traces[i].unit) turns.push_back(i);
  }
  return turns;
}

// ---- rows as the command line has them

/// Errors: 65 when the traces are not as many, or turn back elsewhere than at the ends of rows.
TraceGrid grid_of_dims(const Traces& traces, Extent3 dims, const std::filesystem::path& path) {
  const std::string note =
      text("rows of traces are those of ", option("model-dims"), ", in the order of the file");
  if (static_cast<std::uint64_t>(dims.x) * static_cast<std::uint64_t>(dims.y) != traces.size()) {
    throw file_error(
        path,
        text("holds ", traces.size(), " traces, ", option("model-dims"), " says ", dims.x, " x ", dims.y),
        "correct or leave out " + option("model-dims"));
  }
  if (dims.y == 1) return in_order(dims.x, 1, "");
  const std::vector<std::size_t> turns = turns_back(traces);
  const auto are_ends = [&turns](std::size_t columns, std::size_t rows) {
    return turns.empty() ||
           (turns.size() == rows - 1 &&
            std::ranges::all_of(turns, [columns](std::size_t turn) { return turn % columns == 0; }));
  };
  for (const auto& [columns, rows] : {std::pair(dims.x, dims.y), std::pair(dims.y, dims.x)}) {
    if (are_ends(static_cast<std::size_t>(columns), static_cast<std::size_t>(rows)))
      return in_order(columns, rows, note);
  }
  throw file_error(
      path,
      text("turns back at trace ", turns.front() + 1, ", where no row of ", option("model-dims"), " ends"),
      text("correct ", option("model-dims"), ", or name the numbers of lines by ", option("segy-header")));
}

bool fits(const TraceGrid& grid, const std::optional<Extent3>& dims) {
  return !dims || (dims->x == grid.columns && dims->y == grid.rows) ||
         (dims->x == grid.rows && dims->y == grid.columns);
}

/// The section of traces that make no rectangle, or an error.
TraceGrid section_or_error(const Traces& traces, const LineNumbers& numbers, const LineNumbers& older,
                           const std::filesystem::path& path) {
  if (numbers.both_vary() && numbers.come_again(traces)) {
    throw file_error(
        path,
        text("holds ", traces.size(), " traces, which do not fill its ", numbers.inlines.count, " inlines x ",
             numbers.crosslines.count, " crosslines once"),
        text("give the whole grid, or ", option("model-dims"), " NX,NY,NZ (NX,1,NZ: one section)"));
  }
  const std::vector<std::size_t> turns = turns_back(traces);
  if (numbers.come_again(traces) || (older.both_vary() && older.come_again(traces)) || !turns.empty()) {
    const std::string where = turns.empty() ? "" : text(" (trace ", turns.front() + 1, " turns back)");
    throw file_error(path,
                     text("has several lines in ", traces.size(), " traces", where, ", in no known order"),
                     text("give ", option("segy-header"), " inline=9,crossline=21, or ", option("model-dims"),
                          " NX,NY,NZ (NX,1,NZ: one section)"));
  }
  const FirstLine line = first_line(traces);
  const bool straight = line.traces == traces.size() && line.step.length() > traces.front().unit;
  const bool known =
      traces.size() == 1 || straight || numbers.inlines.count > 1 || numbers.crosslines.count > 1;
  return in_order(static_cast<int>(traces.size()), 1,
                  known ? ""
                        : text("taken for one section, for the file says no lines (", option("model-dims"),
                               " says them)"));
}

}  // namespace

TraceGrid arrange_rows(const Traces& traces, const RowWishes& wishes, const std::filesystem::path& path) {
  const LineNumbers numbers{ranks_of(traces, &TraceHeader::inline_number),
                            ranks_of(traces, &TraceHeader::crossline_number)};
  if (const auto grid = filled(numbers.inlines, numbers.crosslines, "")) return *grid;
  const LineNumbers older{ranks_of(traces, &TraceHeader::record_number),
                          ranks_of(traces, &TraceHeader::ensemble_number)};
  if (!wishes.numbers_said) {
    if (const auto grid = grid_of_map(traces); grid && fits(*grid, wishes.dims)) return *grid;
    const char* const note = "rows of traces found by bytes 9-12 and 21-24";
    const auto grid = filled(older.inlines, older.crosslines, note);
    if (grid && fits(*grid, wishes.dims)) return *grid;
  }
  return wishes.dims ? grid_of_dims(traces, *wishes.dims, path)
                     : section_or_error(traces, numbers, older, path);
}

}  // namespace minimod
