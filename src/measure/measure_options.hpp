/// Decisions of the user about a measurement.
#pragma once

#include <optional>

#include "src/base/choices.hpp"
#include "src/job/plan/shot_options.hpp"

namespace minimod {

/// The wavefield that measured kernels work on; never zeros, which some hardware adds faster.
enum class BenchField {
  random,  ///< every point another value
  source,  ///< a wave that has crossed the grid
};

inline constexpr NamedChoice<BenchField> field_names[] = {{BenchField::random, "random"},
                                                          {BenchField::source, "source"}};

[[nodiscard]] inline std::string field_name(BenchField field) {
  return name_in(field_names, field);
}

/// Subject of a measurement: the problem and the kernels.
struct MeasureOptions {
  GridOptions grid;
  BoundaryOptions boundary;
  KernelOptions kernels;  ///< `kernel` may be "all", or a list of names and patterns
  BenchField field = BenchField::random;
  std::optional<int> steps;   ///< steps of a timed run
  std::optional<int> warmup;  ///< steps before those that are measured
};

/// Files that a measurement leaves on disk.
struct ReportFiles {
  std::string json;    ///< file of the record, empty for none
  std::string csv;     ///< file of the table, empty for none
  bool force = false;  ///< replace a record and a table that are there
};

}  // namespace minimod
