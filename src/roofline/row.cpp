#include "src/roofline/row.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace minimod {

namespace {

/// Limits of a multiprocessor of sm_75 and newer: registers are given to warps, out of its four partitions.
constexpr int partitions = 4, registers_of_partition = 16384, register_unit = 8, warp_threads = 32;

/// The resource that admits no further block on a multiprocessor.
std::string limiting_resource(const LaunchFacts& facts) {
  if (facts.occupancy > 0.999) return "nothing";
  const int registers = round_up(facts.registers, register_unit);
  const int warps = partitions * (registers_of_partition / std::max(1, registers * warp_threads));
  const int by_registers = warps / std::max(1, ceil_div(facts.threads, warp_threads));
  if (by_registers == facts.active_blocks) return "registers";
  const double more = facts.occupancy * (facts.active_blocks + 1) / std::max(1, facts.active_blocks);
  if (more > 1) return "threads";
  return facts.shared_bytes > 0 ? "shared memory" : "blocks";
}

/// Several readings added up, nothing where one is missing.
std::optional<double> sum_of(const CounterReadings& readings, std::initializer_list<const char*> names) {
  double sum = 0;
  for (const char* name : names) {
    const auto found = readings.find(name);
    if (found == readings.end()) return std::nullopt;
    sum += found->second;
  }
  return sum;
}

/// Not all that comes was looked up and missed: the copy engine asks without it, and asynchronous copies past
/// the L1 look up the 16 B that they ask for, where sectors of 32 B come.
std::optional<double> l1_bytes_of(const CounterReadings& readings) {
  const auto looked_up = sum_of(readings, {"l1tex__t_bytes.sum"}),
             come = sum_of(readings, {"l1tex__m_xbar2l1tex_read_bytes.sum"}),
             missed = sum_of(readings, {"l1tex__t_bytes_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
                                        "l1tex__t_bytes_pipe_lsu_mem_local_op_ld_lookup_miss.sum"});
  if (looked_up && come && missed) return *looked_up + std::max(0.0, *come - *missed);
  return looked_up;
}

void derive_level(Row& row, const std::string& level, double flop, double rate, double bandwidth,
                  double peak) {
  const auto bytes = row.value(level + "_bytes");
  if (!bytes || *bytes <= 0) return;
  const double intensity = flop / *bytes;
  const double roof = std::min(peak, intensity * bandwidth);
  const bool analytic = row.is_analytic("flop") || row.is_analytic(level + "_bytes");
  row.set("ai_" + level, intensity, analytic ? Origin::analytic : Origin::derived);
  row.set("roof_" + level, roof, Origin::derived);
  row.set("achieved_" + level, 100 * rate / roof, Origin::derived);
}

}  // namespace

const Cell* Row::find(const std::string& name) const {
  const auto found = std::ranges::find(cells_, name, &Cell::name);
  return found != cells_.end() ? &*found : nullptr;
}

std::optional<double> best_rate(const std::vector<Ceiling>& ceilings, Level level) {
  std::optional<double> best;
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.level != level || ceiling.rates.empty()) continue;
    const double rate = *std::max_element(ceiling.rates.begin(), ceiling.rates.end());
    best = std::max(best.value_or(rate), rate);
  }
  return best;
}

Row make_row(const std::string& shape, const MeasuredPart& part, Precision precision) {
  const PartTimes& times = part.times;
  const PartModel& model = part.model;
  const std::vector<LaunchFacts>& launches = part.launches;
  Row row;
  row.precision = precision;
  row.shape = shape;
  row.part = times.part.name;
  row.extra_work = model.extra_work;
  row.set("points", model.points, Origin::analytic);
  row.set("seconds_min", times.seconds.min, Origin::measured);
  row.set("seconds", times.seconds.median, Origin::measured);
  row.set("seconds_max", times.seconds.max, Origin::measured);
  row.set("flop_formula", model.formula_flop, Origin::analytic);
  row.set("flop_model", model.flop, Origin::analytic);
  row.set("dram_bytes_compulsory", model.dram_bytes, Origin::analytic);
  if (launches.empty()) return row;
  const auto most = [&](auto member) { return (*std::ranges::max_element(launches, {}, member)).*member; };
  std::int64_t blocks = 0;
  for (const LaunchFacts& launch : launches) blocks += launch.blocks.points();
  row.set("registers", most(&LaunchFacts::registers), Origin::measured);
  row.set("threads", most(&LaunchFacts::threads), Origin::measured);
  row.set("blocks", static_cast<double>(blocks), Origin::measured);
  if (launches.size() == 1) {
    row.set("grid_x", launches[0].blocks.x, Origin::measured);
    row.set("grid_y", launches[0].blocks.y, Origin::measured);
    row.set("grid_z", launches[0].blocks.z, Origin::measured);
  }
  row.set("shared_bytes", static_cast<double>(most(&LaunchFacts::shared_bytes)), Origin::measured);
  row.set("local_bytes", static_cast<double>(most(&LaunchFacts::local_bytes)), Origin::measured);
  const LaunchFacts& fullest = *std::ranges::max_element(launches, {}, &LaunchFacts::occupancy);
  row.set("theoretical_occupancy", 100 * fullest.occupancy, Origin::measured);
  row.limited_by = limiting_resource(fullest);
  return row;
}

void add_counters(Row& row, const CounterReadings& readings) {
  row.raw = readings;
  const auto set = [&](const char* name, std::initializer_list<const char*> metrics, double factor = 1) {
    if (const auto sum = sum_of(readings, metrics)) row.set(name, factor * *sum, Origin::measured);
  };
  constexpr const char *ffma = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
                       *dadd = "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
                       *dmul = "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
                       *dfma = "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum";
  if (row.precision == Precision::float64) {
    set("flop_counted", {dadd, dmul, dfma, dfma});
  } else {
    set("flop_counted", {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
                         "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", ffma, ffma});
    set("fp64_instructions", {dadd, dmul, dfma});
  }
  set("dram_bytes", {"dram__bytes_read.sum", "dram__bytes_write.sum"});
  set("dram_transactions", {"dram__sectors_read.sum", "dram__sectors_write.sum"});
  // As the paper counts: an atomic operation or a reduction reads and writes.
  constexpr const char *atom = "lts__t_sectors_op_atom.sum", *red = "lts__t_sectors_op_red.sum";
  set("l2_transactions", {"lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum", atom, atom, red, red});
  set("l2_transactions_of_l1", {"lts__t_sectors_srcunit_tex.sum"});
  constexpr const char* fabric = "lts__t_sectors_srcunit_ltcfabric.sum";
  set("fabric_transactions", {fabric});
  set("fabric_bytes", {fabric}, sector_bytes);
  set("fabric_busy", {"lts__ltcfabric2ltc_cycles_active.avg.pct_of_peak_sustained_elapsed"});
  // Between the L2 and the multiprocessors: the sectors above also go between the two halves of an L2, and
  // prefetches ask for sectors that do not come.
  set("l2_bytes", {"l1tex__m_xbar2l1tex_read_bytes.sum", "l1tex__m_l1tex2xbar_write_bytes.sum"});
  if (const auto bytes = l1_bytes_of(readings)) row.set("l1_bytes", *bytes, Origin::measured);
  set("local_instructions", {"smsp__inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_st.sum"});
  set("achieved_occupancy", {"sm__warps_active.avg.pct_of_peak_sustained_active"});
  set("seconds_ncu", {"gpu__time_duration.sum"}, 1e-9);
}

void derive(Row& row, const std::vector<Ceiling>& ceilings) {
  const auto counted = row.value("flop_counted");
  const double flop = counted ? *counted : row.value("flop_model").value_or(0);
  row.set("flop", flop, counted ? Origin::measured : Origin::analytic);
  if (!row.value("dram_bytes")) {
    row.set("dram_bytes", row.value("dram_bytes_compulsory").value_or(0), Origin::analytic);
  }
  const double seconds = row.value("seconds").value_or(0), points = row.value("points").value_or(0);
  const double rate = flop / seconds * 1e-9;
  row.set("gpt_per_s", points / seconds * 1e-9, Origin::derived);
  row.set("gflop_per_s", rate, Origin::derived);
  row.set("flop_per_point", flop / points, counted ? Origin::derived : Origin::analytic);
  if (const auto formula = row.value("flop_formula"); counted && formula) {
    row.set("flop_over_formula", *counted / *formula, Origin::derived);
  }
  if (row.emulated) {
    row.bound_by = "(played)";
    return;
  }
  const bool is_double = row.precision == Precision::float64;
  const double peak =
      best_rate(ceilings, is_double ? Level::compute_double : Level::compute).value_or(INFINITY);
  double most = 100 * rate / peak;
  row.bound_by = is_double ? "fp64" : "fp32";
  row.set("achieved_" + row.bound_by, most, Origin::derived);
  for (const auto& [name, level] : memory_levels) {
    const auto bandwidth = best_rate(ceilings, level);
    if (!bandwidth) continue;
    derive_level(row, name, flop, rate, *bandwidth, peak);
    const auto achieved = row.value(std::string("achieved_") + name);
    if (achieved && *achieved > most) {
      most = *achieved;
      row.bound_by = name;
    }
  }
}

}  // namespace minimod
