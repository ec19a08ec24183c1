#include "src/roofline/report.hpp"

#include <algorithm>
#include <cstdio>
#include <span>

#include "src/base/error.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/json.hpp"
#include "src/base/parse.hpp"
#include "src/base/precision_names.hpp"
#include "src/base/process/screen.hpp"
#include "src/choice/emulated.hpp"

namespace minimod {

namespace {

constexpr int part_columns = 7;           // width for a kernel's part: "bottom"
constexpr std::size_t column_width = 10;  // width of a column on a screen, with the blank before it

/// A column of a table: the row's cell, its name in the file, and how people see it, with the unit below.
struct Column {
  const char *cell, *csv, *title, *unit;
  double factor;
  const char* format;
};

constexpr Column table3[] = {
    {"registers", "registers", "registers", "a thread", 1, "%.0f"},
    {"threads", "threads", "threads", "a block", 1, "%.0f"},
    {"blocks", "blocks", "blocks", "in all", 1, "%.0f"},
    {"grid_x", "grid_x", "grid x", "blocks", 1, "%.0f"},
    {"grid_y", "grid_y", "grid y", "blocks", 1, "%.0f"},
    {"grid_z", "grid_z", "grid z", "blocks", 1, "%.0f"},
    {"shared_bytes", "shared_bytes", "shared", "B a block", 1, "%.0f"},
    {"local_bytes", "local_bytes", "local", "B/thread", 1, "%.0f"},
    {"achieved_occupancy", "achieved_occupancy_percent", "occupancy", "%", 1, "%.1f"},
    {"theoretical_occupancy", "theoretical_occupancy_percent", "at most", "%", 1, "%.1f"},
};
constexpr Column table4[] = {
    {"seconds_min", "seconds_min", "least", "ms", 1e3, "%.3f"},
    {"seconds", "seconds_median", "median", "ms", 1e3, "%.3f"},
    {"seconds_max", "seconds_max", "most", "ms", 1e3, "%.3f"},
    {"gpt_per_s", "gpt_per_s", "points", "Gpt/s", 1, "%.4g"},
    {"flop", "flop", "work", "GFLOP", 1e-9, "%.4g"},
    {"flop_per_point", "flop_per_point", "work", "FLOP/pt", 1, "%.1f"},
    {"gflop_per_s", "gflop_per_s", "rate", "GFLOP/s", 1, "%.1f"},
    {"l2_transactions", "l2_transactions", "L2", "sectors", 1, "%.3e"},
    {"ai_l2", "l2_flop_per_byte", "AI L2", "FLOP/B", 1, "%.3f"},
    {"roof_l2", "l2_peak_gflop_per_s", "roof L2", "GFLOP/s", 1, "%.0f"},
    {"achieved_l2", "l2_achieved_percent", "L2", "% of roof", 1, "%.1f"},
    {"fabric_transactions", "fabric_transactions", "fabric", "sectors", 1, "%.3e"},
    {"ai_fabric", "fabric_flop_per_byte", "AI fabric", "FLOP/B", 1, "%.3f"},
    {"roof_fabric", "fabric_peak_gflop_per_s", "its roof", "GFLOP/s", 1, "%.0f"},
    {"achieved_fabric", "fabric_achieved_percent", "fabric", "% of roof", 1, "%.1f"},
    {"fabric_busy", "fabric_busy_percent", "fabric", "% busy", 1, "%.1f"},
    {"dram_bytes", "dram_bytes", "DRAM", "GB", 1e-9, "%.4g"},
    {"dram_transactions", "dram_transactions", "DRAM", "sectors", 1, "%.3e"},
    {"ai_dram", "dram_flop_per_byte", "AI DRAM", "FLOP/B", 1, "%.3f"},
    {"roof_dram", "dram_peak_gflop_per_s", "roof DRAM", "GFLOP/s", 1, "%.0f"},
    {"achieved_dram", "dram_achieved_percent", "DRAM", "% of roof", 1, "%.1f"},
    {"achieved_fp32", "fp32_achieved_percent", "fp32", "% of roof", 1, "%.1f"},
    {"achieved_fp64", "fp64_achieved_percent", "fp64", "% of roof", 1, "%.1f"},
};

/// A report's files; one that is there is replaced.
const FileKind report_table{"a table of a roofline report", [](const std::filesystem::path& file) {
                              return begins_with(file, "shape,kernel,");
                            }};
const FileKind text_tables{"the tables of a roofline report", [](const std::filesystem::path& file) {
                             return begins_with(file, "ceilingbestmedianleasttheoretical");
                           }};

template <class... Args>
std::string formatted(const char* format, const Args&... args) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, args...);
  return buffer;
}

const char* origin_name(Origin origin) {
  return origin == Origin::measured ? "measured" : origin == Origin::derived ? "derived" : "analytic";
}

const char* level_name(Level level) {
  constexpr const char* names[] = {"dram", "fabric", "l2", "l1", "shared", "compute", "compute_double"};
  return names[static_cast<int>(level)];
}

std::string csv_of(const std::vector<Row>& rows, std::span<const Column> columns, const char* last,
                   std::string Row::*last_value) {
  std::string csv = text("shape,kernel,", joined(columns, ",", &Column::csv), ',', last, ",failed_checks\n");
  for (const Row& row : rows) {
    const auto cell = [&](const Column& column) {
      const auto value = row.value(column.cell);
      return value ? formatted("%.9g", *value) : "";
    };
    csv += text(row.shape, ',', row.part, ',', joined(columns, ",", cell), ',', row.*last_value, ',',
                joined(row.flags, " ", &Flag::check), '\n');
  }
  return csv;
}

/// A part of a table that fits a screen: some of its columns, and the last one of all where one is given.
std::string part_of(const std::vector<Row>& rows, std::span<const Column* const> columns,
                    std::size_t names_width, const char* last, std::string Row::*last_value) {
  const int names = static_cast<int>(names_width);
  const auto mark = [&](const Column& column) {
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.is_analytic(column.cell); })
               ? "*"
               : "";
  };
  std::string table = formatted("%-*s %-*s", names, "shape", part_columns, "kernel");
  for (const Column* column : columns) table += formatted(" %9s", text(column->title, mark(*column)).c_str());
  table += last != nullptr ? text("  ", last, '\n') : "\n";
  table += formatted("%-*s %-*s", names, "", part_columns, "");
  for (const Column* column : columns) table += formatted(" %9s", column->unit);
  table += '\n';
  for (const Row& row : rows) {
    table += formatted("%-*s %-*s", names, row.shape.c_str(), part_columns, row.part.c_str());
    for (const Column* column : columns) {
      const auto value = row.value(column->cell);
      table += formatted(" %9s", value ? formatted(column->format, *value * column->factor).c_str() : "-");
    }
    if (last != nullptr) table += text("  ", row.*last_value, row.flags.empty() ? "" : " (!)");
    table += '\n';
  }
  return table;
}

/// The columns that a row has a value for, in as many tables as a screen needs.
std::string text_of(const std::vector<Row>& rows, std::span<const Column> columns, const char* last,
                    std::string Row::*last_value) {
  std::vector<const Column*> shown;
  for (const Column& column : columns) {
    if (std::ranges::any_of(rows, [&](const Row& row) { return row.value(column.cell).has_value(); }))
      shown.push_back(&column);
  }
  std::size_t names = std::string_view("shape").size(), last_columns = std::string_view(last).size();
  for (const Row& row : rows) {
    names = std::max(names, row.shape.size());
    last_columns = std::max(last_columns, (row.*last_value).size() + std::string_view(" (!)").size());
  }
  const std::size_t taken = names + 1 + part_columns + 2 + last_columns;
  const std::size_t room = std::max<std::size_t>((screen_columns - taken) / column_width, 1);
  const std::size_t tables = (shown.size() + room - 1) / room;
  std::string all;
  for (std::size_t i = 0; i < tables; ++i) {
    const std::size_t begin = i * shown.size() / tables, end = (i + 1) * shown.size() / tables;
    const bool ends = i + 1 == tables;
    if (i > 0) all += '\n';
    all +=
        part_of(rows, std::span(shown).subspan(begin, end - begin), names, ends ? last : nullptr, last_value);
  }
  return all;
}

Json ceiling_record(const Ceiling& ceiling) {
  const Spread rates = spread(ceiling.rates);
  Json record{{"name", ceiling.name},
              {"level", level_name(ceiling.level)},
              {"unit", is_arithmetic(ceiling.level) ? "GFLOP/s" : "GB/s"},
              {"best", rates.max},
              {"median", rates.median},
              {"least", rates.min},
              {"runs", ceiling.rates.size()},
              {"theoretical", ceiling.theoretical > 0 ? Json(ceiling.theoretical) : Json(nullptr)},
              {"how", ceiling.how}};
  return record;
}

Json row_record(const Row& row) {
  Json cells = Json::object(), flags = Json::array(), counters = cells;
  for (const Cell& cell : row.cells()) {
    cells[cell.name] = {{"value", cell.value}, {"source", origin_name(cell.origin)}};
  }
  for (const Flag& flag : row.flags) flags.push_back({{"check", flag.check}, {"what", flag.what}});
  for (const auto& [name, value] : row.raw) counters[name] = value;
  return {{"shape", row.shape},
          {"kernel", row.part},
          {"precision", precision_name(row.precision)},
          {"played", row.emulated},
          {"cells", cells},
          {"extra_work", row.extra_work},
          {"limited_by", row.limited_by},
          {"bound_by", row.bound_by},
          {"failed_checks", flags},
          {"counters", counters}};
}

}  // namespace

Json make_record(const Json& facts, const std::vector<Ceiling>& ceilings, const std::vector<Row>& rows) {
  Json record = facts;
  record["ceilings"] = Json::array();
  for (const Ceiling& ceiling : ceilings) record["ceilings"].push_back(ceiling_record(ceiling));
  record["kernels"] = Json::array();
  for (const Row& row : rows) record["kernels"].push_back(row_record(row));
  return record;
}

std::string table3_csv(const std::vector<Row>& rows) {
  return csv_of(rows, table3, "limited_by", &Row::limited_by);
}

std::string table4_csv(const std::vector<Row>& rows) {
  return csv_of(rows, table4, "bound_by", &Row::bound_by);
}

std::string ceilings_text(const std::vector<Ceiling>& ceilings) {
  std::string lines =
      formatted("%-12s %10s %10s %10s %12s\n", "ceiling", "best", "median", "least", "theoretical");
  for (const Ceiling& ceiling : ceilings) {
    const Spread rates = spread(ceiling.rates);
    lines += formatted("%-12s %10.1f %10.1f %10.1f %12s %s\n", ceiling.name.c_str(), rates.max, rates.median,
                       rates.min,
                       ceiling.theoretical > 0 ? formatted("%.1f", ceiling.theoretical).c_str() : "not known",
                       is_arithmetic(ceiling.level) ? "GFLOP/s" : "GB/s");
  }
  for (const Ceiling& ceiling : ceilings) {
    lines += wrapped(text(ceiling_meaning(ceiling.name), " (", ceiling.how, ")"),
                     formatted("%-12s ", text(ceiling.name, ':').c_str())) +
             '\n';
  }
  return lines;
}

std::string tables_text(const std::vector<Row>& rows) {
  std::string all;
  const bool has_launches =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.value("registers"); });
  if (has_launches)
    all += "launches (Table III)\n" + text_of(rows, table3, "limited by", &Row::limited_by) + '\n';
  all += "performance of a step (Table IV); AI: arithmetic intensity\n" +
         text_of(rows, table4, "bound by", &Row::bound_by);
  const auto add = [&](const std::string& line, const char* mark) { all += wrapped(line, mark) + '\n'; };
  add("from the formula, not measured: the operations that it takes and the bytes that must move at least",
      "* ");
  if (std::ranges::any_of(rows, &Row::emulated)) add(emulated_rate, "");
  for (const Row& row : rows) {
    const auto ratio = row.value("flop_over_formula");
    if (ratio && !row.extra_work.empty()) {
      add(formatted("%s %s: %.2f of the formula's operations: %s", row.shape.c_str(), row.part.c_str(),
                    *ratio, row.extra_work.c_str()),
          "");
    }
    for (const Flag& flag : row.flags) {
      add(text(row.shape, ' ', row.part, ": check ", flag.check, " failed: ", flag.what), "(!) ");
    }
  }
  return all;
}

void claim_report(OutputClaims& claims, const std::filesystem::path& folder) {
  for (const char* name : {"table3.csv", "table4.csv"}) claims.add(folder / name, report_table, true);
  claims.add(folder / "tables.txt", text_tables, true);
  claims.add(folder / "roofline.json", json_record, true);
  for (const char* picture : {"roofline.svg", "roofline.png"})
    check_no_folder(folder / picture);  // pictures are the launcher's
}

void write_report(const Json& facts, const std::vector<Ceiling>& ceilings, const std::vector<Row>& rows,
                  const std::filesystem::path& folder) {
  write_text(table3_csv(rows), folder / "table3.csv", report_table, true);
  write_text(table4_csv(rows), folder / "table4.csv", report_table, true);
  write_text(ceilings_text(ceilings) + '\n' + tables_text(rows), folder / "tables.txt", text_tables, true);
  write_record(make_record(facts, ceilings, rows), folder / "roofline.json", true);
}

}  // namespace minimod
