/// Hardware counters as profilers print them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minimod {

/// Values in base units (bytes, ns, percent, counts) by the metric's name; without an entry where the
/// profiler gave no number.
using CounterReadings = std::map<std::string, double>;

/// The metrics that the report asks ncu for on a GPU of that compute capability ("9.0"): checked for 9.0, and
/// with the names of the generation before for older ones.
[[nodiscard]] std::vector<std::string> pinned_metrics(const std::string& compute_capability);

/// Counters of one launch, from a profiler.
struct KernelCounters {
  std::string kernel;  ///< the demangled name
  CounterReadings readings = {};
};

struct CounterTable {
  std::vector<KernelCounters> kernels;  ///< in the order of the launches
  bool complete = true;                 ///< false: the text ends inside a record, which is left out
};

/// The records of comma-separated values (RFC 4180: quotes, doubled quotes, commas and line ends in quotes).
/// `complete` is set false when the text ends within quotes or without a line end; that record is left out.
[[nodiscard]] std::vector<std::vector<std::string>> parse_csv(std::string_view text, bool& complete);

/// A number as profilers print it: "1,234.5", "3,360 ns", "12.3 Kbyte"; in base units, with the unit that
/// stands behind the number or else `unit`. Nothing for "n/a", "inf", "nan" and text.
[[nodiscard]] std::optional<double> to_base_units(std::string_view number, std::string_view unit);

/// Reads the output of ncu with --csv --page raw: a line a launch and a column a metric; lines before the
/// table are messages. Read by names alone: the columns may come in any order. Error 65 when there is no
/// table.
[[nodiscard]] CounterTable parse_ncu(std::string_view text);

/// Reads the output of `perf stat -x ,`: counts by event, without the modifier behind a colon; events that
/// are not supported are absent.
[[nodiscard]] CounterReadings parse_perf(std::string_view text);

}  // namespace minimod
