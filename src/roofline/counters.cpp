#include "src/roofline/counters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/parse.hpp"

namespace minimod {

namespace {

using Record = std::vector<std::string>;

/// Metrics of all generations from sm_75 on; the report computes with these.
constexpr const char* common_metrics[] = {
    "gpu__time_duration.sum",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "dram__sectors_read.sum",
    "dram__sectors_write.sum",
    "dram__bytes.sum.peak_sustained",
    "dram__cycles_elapsed.avg.per_second",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "lts__t_sectors_op_atom.sum",
    "lts__t_sectors_op_red.sum",
    "lts__t_sectors.sum",
    "lts__t_sectors_srcunit_tex.sum",
    "lts__t_bytes.sum.peak_sustained",
    "lts__cycles_elapsed.avg.per_second",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__m_xbar2l1tex_read_bytes.sum",
    "l1tex__m_l1tex2xbar_write_bytes.sum",
    "l1tex__t_bytes.sum",
    "l1tex__t_bytes_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
    "l1tex__t_bytes_pipe_lsu_mem_local_op_ld_lookup_miss.sum",
    "l1tex__t_sector_hit_rate.pct",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "smsp__inst_executed_op_local_ld.sum",
    "smsp__inst_executed_op_local_st.sum",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm__maximum_warps_per_active_cycle_pct",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
    "launch__registers_per_thread",
    "launch__block_size",
    "launch__grid_size",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
    "launch__occupancy_limit_blocks",
    "launch__waves_per_multiprocessor",
};

/// Traffic between the sides of an L2, which GPUs of these capabilities have two of.
constexpr const char* fabric_metrics[] = {
    "lts__t_sectors_srcunit_ltcfabric.sum",
    "lts__ltcfabric2ltc_cycles_active.avg.pct_of_peak_sustained_elapsed"};
constexpr std::string_view with_fabric[] = {"8.0", "9.0"};

/// Factors of the units that ncu and perf write, to bytes, ns, Hz and counts; other units stay as they are.
constexpr std::pair<std::string_view, double> unit_factors[] = {
    {"Kbyte", 1e3}, {"Mbyte", 1e6},         {"Gbyte", 1e9},   {"Tbyte", 1e12}, {"us", 1e3},  {"usecond", 1e3},
    {"ms", 1e6},    {"msecond", 1e6},       {"s", 1e9},       {"second", 1e9}, {"Khz", 1e3}, {"Mhz", 1e6},
    {"Ghz", 1e9},   {"cycle/nsecond", 1e9}, {"cycle/ns", 1e9}};

double factor_of(std::string_view unit) {
  const auto found = std::ranges::find(unit_factors, unit, &std::pair<std::string_view, double>::first);
  return found == std::end(unit_factors) ? 1 : found->second;
}

}  // namespace

std::vector<std::string> pinned_metrics(const std::string& compute_capability) {
  std::vector<std::string> metrics(std::begin(common_metrics), std::end(common_metrics));
  const bool from_hopper = to_number(compute_capability).value_or(0) >= 9;
  metrics.emplace_back(text("l1tex__lsu_writeback_active_mem_lg", from_hopper ? "ds" : "", ".sum"));
  if (std::ranges::count(with_fabric, compute_capability) > 0)
    metrics.insert(metrics.end(), std::begin(fabric_metrics), std::end(fabric_metrics));
  return metrics;
}

std::vector<std::vector<std::string>> parse_csv(std::string_view text, bool& complete) {
  std::vector<Record> records;
  Record record(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      record.back() += text[i++];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      record.emplace_back();
    } else if (!quoted && c == '\n') {
      if (!record.back().empty() && record.back().back() == '\r') record.back().pop_back();
      records.push_back(std::exchange(record, Record(1)));
    } else {
      record.back() += c;
    }
  }
  complete = !quoted && record == Record(1);
  return records;
}

std::optional<double> to_base_units(std::string_view number, std::string_view unit) {
  const std::size_t blank = number.find(' ');
  if (blank != std::string_view::npos) {
    unit = number.substr(blank + 1);
    number = number.substr(0, blank);
  }
  std::string digits(number);
  std::erase(digits, ',');
  const auto value = to_number(digits);
  return value ? std::optional(*value * factor_of(unit)) : std::nullopt;
}

CounterTable parse_ncu(std::string_view text) {
  const std::size_t begin = text.find("\"ID\"");
  CounterTable table;
  const auto records = parse_csv(text.substr(std::min(begin, text.size())), table.complete);
  if (records.empty()) throw Error(ErrorKind::data, "the profiler wrote no table", "its messages say why");
  const Record& header = records[0];
  const auto kernel = std::ranges::find(header, "Kernel Name") - header.begin();
  if (kernel == std::ssize(header)) {
    throw Error(ErrorKind::data, "the profiler's table names no kernels", "is this version of ncu known?");
  }
  for (std::size_t i = 2; i < records.size(); ++i) {  // behind the units
    const Record &units = records[1], &line = records[i];
    if (line.size() != header.size() || units.size() != header.size()) continue;
    CounterReadings& readings = table.kernels.emplace_back(KernelCounters{line[kernel]}).readings;
    for (std::size_t k = 0; k < header.size(); ++k) {
      const bool is_metric = header[k].find("__") != std::string::npos;  // others are the launch's: ID, …
      const auto number = is_metric ? to_base_units(line[k], units[k]) : std::nullopt;
      if (number) readings[header[k]] = *number;
    }
  }
  return table;
}

CounterReadings parse_perf(std::string_view text) {
  constexpr std::size_t event_column = 2;
  bool complete = true;
  CounterReadings readings;
  for (const Record& record : parse_csv(text, complete)) {
    if (record.size() <= event_column) continue;
    const std::string& event = record[event_column];
    if (const auto count = to_base_units(record[0], "")) readings[event.substr(0, event.find(':'))] = *count;
  }
  return readings;
}

}  // namespace minimod
