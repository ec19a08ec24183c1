/// Tables of `minimod bench`, on the screen and for scripts.
#pragma once

#include "src/base/files/output_file.hpp"
#include "src/measure/table.hpp"

namespace minimod {

/// How kernels are shown and written.
struct ReportForm {
  Table table;
  /// Titles of the table for scripts: members of a record, of its spreads as seconds_min, and of its inner
  /// launch.
  const char* csv;
  FileKind csv_kind;
  const char* rows;   ///< name of kernels, in the record as elsewhere
  const char* right;  ///< standard of comparison
};

/// Forms of the wave equation's shapes and of the kernels of stencils.
[[nodiscard]] ReportForm wave_form();
[[nodiscard]] ReportForm stencil_form();

/// The members that a table may have beside each other. What several ranks have is in one.
[[nodiscard]] Json flat_row(Json row);

/// Figures of each rank in a run of `steps` steps, in records of kernels whose grid is cut.
void print_ranks(const Json& rows, int steps);
/// Launches of the shapes that have them, and what the paper has of these.
void print_launches_and_paper(const Json& rows);
/// Power, clocks and points a joule of the kernels of which they are known.
void print_power(const Json& rows);

}  // namespace minimod
