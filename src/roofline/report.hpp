/// The roofline report: the record, the paper's Tables III and IV, as files and on the terminal.
#pragma once

#include <filesystem>
#include <string>

#include "src/base/files/output_claims.hpp"
#include "src/base/json.hpp"
#include "src/roofline/row.hpp"

namespace minimod {

/// "minimod.roofline/1": `facts` (schema, build, device, grid, mode, …) and behind them ceilings and kernels.
[[nodiscard]] Json make_record(const Json& facts, const std::vector<Ceiling>& ceilings,
                               const std::vector<Row>& rows);

/// A table of the paper as comma-separated values, a kernel a line; empty cells where nothing is known.
[[nodiscard]] std::string table3_csv(const std::vector<Row>& rows);
[[nodiscard]] std::string table4_csv(const std::vector<Row>& rows);

/// Ceilings, both tables and the failed checks for people.
[[nodiscard]] std::string ceilings_text(const std::vector<Ceiling>& ceilings);
[[nodiscard]] std::string tables_text(const std::vector<Row>& rows);

/// Whether write_report can, and no other process meanwhile; files of an earlier report do not stand in its
/// way. Errors: 73, 74, 77.
void claim_report(OutputClaims& claims, const std::filesystem::path& folder);

/// Writes roofline.json, table3.csv, table4.csv and tables.txt, each whole or not at all. Errors: 73, 74, 77.
void write_report(const Json& facts, const std::vector<Ceiling>& ceilings, const std::vector<Row>& rows,
                  const std::filesystem::path& folder);

}  // namespace minimod
