/// What came of the kernels that a bench measures: a line each as they come, a record and a table at the end.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "src/base/output_claims.hpp"
#include "src/measure/measure_options.hpp"
#include "src/measure/table.hpp"

namespace minimod {

/// How kernels are shown and written.
struct ReportForm {
  Table table;
  const char*
      csv;  ///< its titles: members of a record, of its spreads as seconds_min, and of its inner launch
  FileKind csv_kind;
  const char* rows;   ///< what the record has them under, and they are called
  const char* right;  ///< what they are held against
};

class BenchReport {
 public:
  /// Both outlive it.
  BenchReport(const ReportForm& form, const ReportFiles& files) : form_(form), files_(files) {}

  /// Before anything runs. Errors: 73, 74, 77.
  void claim();

  /// `shown`: the kernel's name in the table; `record`: what the record knows it by.
  void leave_out(const std::string& shown, Json record, const std::string& why);
  /// A kernel that was measured, or one whose "verified" is false.
  void add(const std::string& shown, const Json& record);

  [[nodiscard]] const Json& rows() const { return rows_; }
  [[nodiscard]] Json& not_run() { return not_run_; }

  /// `facts`: what the record has before its rows.
  void write(Json facts) const;
  /// Error 65 where kernels were wrong.
  void require_right() const;

 private:
  const ReportForm& form_;
  const ReportFiles& files_;
  OutputClaims claims_;
  Json rows_ = Json::array(), not_run_ = Json::array();
};

/// What each rank has of a run of `steps` steps, where the grid is cut.
void print_ranks(const Json& rows, int steps);

}  // namespace minimod
