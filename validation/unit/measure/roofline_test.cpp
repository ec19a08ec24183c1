/// The roofline report without a GPU: model, checks, files.
#include <algorithm>
#include <fstream>
#include <sstream>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "kernels/registry.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/device/backend.hpp"
#include "src/roofline/checks.hpp"
#include "src/roofline/report.hpp"

using namespace minimod;
using Catch::Approx;

namespace {

TimedPart part(const std::string& name, Formula formula, std::int64_t points) {
  return {name, formula, points, 0};
}

/// 1000 points: an inner box of 6 x 6 x 6 within 2 points of PML.
const Regions regions = make_regions({10, 10, 10}, same_on_all_faces(2));

PartModel model(const std::string& inner, const std::string& pml, const TimedPart& of,
                const Schedule& schedule = sequence()) {
  return model_of(of, {&find_shape(inner), &find_shape(pml), &schedule}, regions);
}

/// A row as a right measurement of 1000 points leaves it.
Row sound_row() {
  Row row;
  row.shape = "gmem_8x8x8";
  row.part = "inner";
  row.set("points", 1000, Origin::analytic);
  row.set("seconds", 1e-6, Origin::measured);
  row.set("flop_formula", 44000, Origin::analytic);
  row.set("flop_model", 44000, Origin::analytic);
  row.set("dram_bytes_compulsory", 16000, Origin::analytic);
  row.set("grid_x", 2, Origin::measured);
  row.set("blocks", 8, Origin::measured);
  row.set("threads", 512, Origin::measured);
  row.set("registers", 32, Origin::measured);
  return row;
}

CounterReadings sound_readings() {
  return {{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 14000},
          {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
          {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 15000},
          {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 0},
          {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", 0},
          {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 0},
          {"dram__bytes_read.sum", 12800},
          {"dram__bytes_write.sum", 4000},
          {"dram__sectors_read.sum", 400},
          {"dram__sectors_write.sum", 125},
          {"lts__t_sectors_op_read.sum", 700},
          {"lts__t_sectors_op_write.sum", 120},
          {"lts__t_sectors_op_atom.sum", 3},
          {"lts__t_sectors_op_red.sum", 2},
          {"lts__t_sectors_srcunit_tex.sum", 750},
          {"l1tex__m_xbar2l1tex_read_bytes.sum", 18000},
          {"l1tex__m_l1tex2xbar_write_bytes.sum", 4000},
          {"l1tex__t_bytes.sum", 100000},
          {"launch__grid_size", 8},
          {"launch__block_size", 512},
          {"launch__registers_per_thread", 32},
          {"gpu__time_duration.sum", 1050}};
}

const std::vector<Ceiling> ceilings = {{"dram_read", Level::dram, {30, 40}, 50, ""},
                                       {"l2_read", Level::l2, {100}, 0, ""},
                                       {"l1_read", Level::l1, {300}, 0, ""},
                                       {"fp32_fma", Level::compute, {200, 180}, 250, ""}};

Row checked(const CounterReadings& readings, const std::string& extra_work = "") {
  Row row = sound_row();
  row.extra_work = extra_work;
  add_counters(row, readings);
  derive(row, ceilings);
  row.flags = failed_checks(row, ceilings);
  return row;
}

/// The names of the checks that fail when one reading is another.
std::string failures_with(const std::string& metric, double value, const std::string& extra_work = "") {
  CounterReadings readings = sound_readings();
  readings[metric] = value;
  std::string names;
  for (const Flag& flag : checked(readings, extra_work).flags) names += flag.check + ' ';
  return names;
}

}  // namespace

TEST_CASE("Operations of the formulas, counted by hand", "[unit]") {
  // Inner: 12 pairs of neighbours added and weighted; the centre; u - u⁻; (V Δt)² times the Laplacian; u
  // again.
  CHECK(operations_of(Formula::inner) == Operations{12 + 1 + 1, 0, 12 + 1 + 1, 0});
  CHECK(operations_of(Formula::inner).flop() == 42);
  // PML, beside the star (12 additions, 13 multiply-adds): 3 differences of u, 2 + 3 of η, 1 + η + α, u - u⁻,
  // Laplacian + φ, φ - decay; 3 gradients, η², 1 product in the decay, the loss of φ; multiply-adds for 1 +
  // 2η, the change (2) and what it adds to u, the decay (2), φ; two divisions.
  CHECK(operations_of(Formula::pml) == Operations{12 + 3 + 5 + 2 + 3, 3 + 3, 13 + 1 + 3 + 2 + 1, 2});
  CHECK(operations_of(Formula::pml).flop() == 73);
  // Density: for each term of an axis 2 differences, a product and 2 multiply-adds; the step as above.
  CHECK(operations_of(Formula::inner, minimod::Equation::density) ==
        Operations{12 * 2 + 2, 12, 12 * 2 + 1, 0});
  // VTI: for each term 3 additions and a multiply-add; 1 + 2ε, √(1 + 2δ) and two steps.
  CHECK(operations_of(Formula::inner, minimod::Equation::vti) == Operations{12 * 3 + 4, 1, 12 + 2 + 2, 0});
  CHECK(values_of_point(minimod::Equation::wave, false) == 4);
  CHECK(values_of_point(minimod::Equation::density, false) == 8);
  CHECK(values_of_point(minimod::Equation::vti, true) == 13);
}

TEST_CASE("The model of three shapes, by hand", "[unit]") {
  const TimedPart inner = part("inner", Formula::inner, 216), top = part("top", Formula::pml, 200);
  const PartModel gmem = model("gmem_8x8x8", "gmem_8x8x8", inner);
  CHECK(gmem.flop == 216 * 42);
  CHECK(gmem.dram_bytes == 216 * 16);
  CHECK(gmem.extra_work.empty());
  // The semi-stencil: an axis takes 8 multiply-adds and 1 addition where the star takes 4 and 4.
  const PartModel semi = model("semi_8x8x8", "semi_8x8x8", top);
  CHECK(semi.formula_flop == 200 * 73);
  CHECK(semi.flop == 200 * (73 + 3 * (17 - 12) + 2));
  CHECK(semi.dram_bytes == 200 * 24);
  CHECK_FALSE(semi.extra_work.empty());
  // In-plane: 8 multiply-adds along z instead of 4 and 4 additions.
  CHECK(model("in_plane_full_64x16_r1x2", "gmem_8x8x8", inner).flop == 216 * (42 + 16 - 12));
}

TEST_CASE("Compulsory bytes", "[unit]") {
  const TimedPart inner = part("inner", Formula::inner, 216), top = part("top", Formula::pml, 200);
  CHECK(model("gmem_8x8x8", "smem_eta_3_8x8x8", top).dram_bytes == 200 * 28);
  CHECK(model("tma_ring_v16_128x32", "gmem_8x8x8", inner).dram_bytes == 216 * 14);
  const PartModel whole = model("gmem_8x8x8", "gmem_8x8x8", part("whole", Formula::mixed, 1000));
  CHECK(whole.points == 1000);
  CHECK(whole.dram_bytes == 216 * 16 + 784 * 24);
  // u, u⁻ and V² read, u⁺ and u⁺⁺ written for two steps, and φ once in and once out.
  const PartModel pair =
      model("tma_whole_64x32", "tma_whole_64x32", part("whole", Formula::mixed, 1000), minimod::whole());
  CHECK(pair.points == 1000);
  CHECK(pair.dram_bytes == 216 * 10 + 784 * 14);
  CHECK(pair.formula_flop == 216 * 42 + 784 * 73);
  const PartModel step = model("tma_whole_step_128x32", "tma_whole_step_128x32",
                               part("whole", Formula::mixed, 1000), whole_step());
  CHECK(step.dram_bytes == whole.dram_bytes);
  const PartModel outer = model("gmem_8x8x8", "gmem_8x8x8", part("pml", Formula::outer, 1000));
  CHECK(outer.points == 784);
}

TEST_CASE("A rate's runs end when they are no better, or are enough", "[unit]") {
  int runs = 0;
  const auto runs_of = [&](const std::function<double(int)>& seconds,
                           Thoroughness thoroughness = Thoroughness::of_figures) {
    runs = 0;
    return least_seconds([&] { return seconds(runs++); }, thoroughness);
  };
  CHECK(runs_of([](int) { return 2.0; }) == 2);
  CHECK(runs == 5);
  CHECK(runs_of([](int run) { return run == 4 ? 1.0 : 2.0; }) == 1);
  CHECK(runs == 9);
  CHECK(runs_of([](int run) { return run == 4 ? 1.0 : 2.0; }, Thoroughness::of_a_run) == 2);
  CHECK(runs == 3);
  CHECK(runs_of([](int run) { return 100.0 - run; }) == 100 - (ceiling_repeats - 1));
  CHECK(runs == ceiling_repeats);
}

TEST_CASE("A row's rates, intensities and roofs", "[unit]") {
  const Row row = checked(sound_readings());
  CHECK(row.flags.empty());
  CHECK(row.value("flop") == 44000);
  CHECK(row.value("gflop_per_s").value_or(0) == Approx(44));
  CHECK(row.value("dram_bytes") == 16800);
  CHECK(row.value("dram_transactions") == 525);
  CHECK(row.value("l2_transactions") == 700 + 120 + 2 * 3 + 2 * 2);  // atomics read and write
  CHECK(row.value("l2_transactions_of_l1") == 750);
  CHECK(row.value("l2_bytes") == 22000);  // to and from the multiprocessors
  CHECK(row.value("l1_bytes") == 100000);
  CHECK(row.value("flop_over_formula") == 1);
  CHECK(row.value("ai_dram").value_or(0) == Approx(44000.0 / 16800));
  CHECK(row.value("roof_dram").value_or(0) == Approx(40 * 44000.0 / 16800));  // intensity times the best rate
  CHECK(row.value("achieved_dram").value_or(0) == Approx(42));
  CHECK(row.value("achieved_l2").value_or(0) == Approx(22));
  CHECK(row.bound_by == "dram");
  CHECK_FALSE(row.is_analytic("ai_dram"));

  Row uncounted = sound_row();
  derive(uncounted, ceilings);
  CHECK(uncounted.value("flop") == 44000);
  CHECK(uncounted.value("dram_bytes") == 16000);
  CHECK(uncounted.is_analytic("flop"));
  CHECK(uncounted.is_analytic("ai_dram"));
  CHECK_FALSE(uncounted.value("ai_l2").has_value());
}

TEST_CASE("A row in double has the ceiling of doubles above it", "[unit]") {
  const std::string operation = "smsp__sass_thread_inst_executed_op_d";
  Row row = sound_row();
  row.precision = Precision::float64;
  CounterReadings readings = sound_readings();
  readings[operation + "add_pred_on.sum"] = 14000;
  readings[operation + "mul_pred_on.sum"] = 10000;
  readings[operation + "fma_pred_on.sum"] = 10000;
  add_counters(row, readings);
  std::vector<Ceiling> both = ceilings;
  both.push_back({"fp64_fma", Level::compute_double, {80}, 0, ""});
  derive(row, both);
  CHECK(row.value("flop") == 44000);
  CHECK(row.value("achieved_fp64").value_or(0) == Approx(55));
  CHECK_FALSE(row.value("achieved_fp32").has_value());
  CHECK(row.bound_by == "fp64");
  CHECK(failed_checks(row, ceilings).empty());
}

TEST_CASE("Every check fails on what it is for", "[unit]") {
  const std::string fadd = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum";
  CHECK(failures_with(fadd, 14000).empty());
  CHECK(failures_with(fadd, 14000 - 0.06 * 44000) == "flop ");
  CHECK(failures_with(fadd, 14000 + 0.16 * 44000) == "flop ");
  CHECK(failures_with(fadd, 14000 + 0.16 * 44000, "half sums").empty());
  CHECK(failures_with("smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 1) == "fp64 ");
  CHECK(failures_with("smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 1).empty());
  CHECK(failures_with("dram__bytes_read.sum", 11000) == "dram ");
  CHECK(failures_with("l1tex__t_bytes.sum", 21800) == "levels ");
  CHECK(failures_with("l1tex__t_bytes.sum", 21950).empty());
  CHECK(failures_with("lts__t_sectors_op_read.sum", 300) == "levels ");
  CHECK(failures_with("launch__grid_size", 9) == "launch ");
  CHECK(failures_with("launch__block_size", 256) == "launch ");
  CHECK(failures_with("launch__registers_per_thread", 40) == "launch ");
  CHECK(failures_with("dram__bytes_read.sum", 50000).find("roof") != std::string::npos);
  CHECK(failures_with("gpu__time_duration.sum", 1150) == "time ");
  CHECK(failures_with("gpu__time_duration.sum", 880) == "time ");
}

TEST_CASE("An L2 may keep bytes from one launch to the next", "[unit]") {
  CounterReadings readings = sound_readings();
  readings["dram__bytes_read.sum"] = 11000;  // 680 less than 0.98 of 16000
  Row kept = sound_row();
  add_counters(kept, readings);
  derive(kept, ceilings);
  CHECK(failed_checks(kept, ceilings, 300).size() == 1);
  CHECK(failed_checks(kept, ceilings, 400).empty());
}

TEST_CASE("What comes past the lookup of the L1 counts as its bytes", "[unit]") {
  CounterReadings readings = sound_readings();
  readings["l1tex__t_bytes.sum"] = 20000;
  readings["l1tex__t_bytes_pipe_lsu_mem_global_op_ld_lookup_miss.sum"] = 3000;
  readings["l1tex__t_bytes_pipe_lsu_mem_local_op_ld_lookup_miss.sum"] = 500;
  Row row = checked(readings);
  CHECK(row.value("l1_bytes") == 20000 + 18000 - 3500);
  CHECK(row.flags.empty());
  // All that came was a miss of the lookup, and some of it twice.
  readings["l1tex__t_bytes_pipe_lsu_mem_global_op_ld_lookup_miss.sum"] = 18100;
  row = checked(readings);
  CHECK(row.value("l1_bytes") == 20000);
  CHECK(row.flags.size() == 1);
}

TEST_CASE("A part of several launches has their sum of blocks and the most of all else", "[unit]") {
  const LaunchFacts small{{4, 1, 1}, 256, 123, 70400, 0, 2, 0.25},
      large{{96, 1, 1}, 384, 168, 126080, 8, 1, 0.1875};
  const Row row = make_row("tma_ring_128x32", {{}, {}, {small, large, small}}, Precision::float32);
  CHECK(row.value("blocks") == 104);
  CHECK(row.value("registers") == 168);
  CHECK(row.value("threads") == 384);
  CHECK(row.value("shared_bytes") == 126080);
  CHECK(row.value("local_bytes") == 8);
  CHECK(row.value("theoretical_occupancy") == 25);
  CHECK_FALSE(row.value("grid_x").has_value());
}

TEST_CASE("What limits the occupancy: registers go to warps", "[unit]") {
  const auto limit = [](int threads, int registers, int active_blocks, std::size_t shared_bytes) {
    LaunchFacts facts{{1, 1, 1}, threads, registers, shared_bytes, 0, active_blocks, 0};
    facts.occupancy = active_blocks * threads / 2048.0;
    return make_row("", {{}, {}, {facts}}, Precision::float32).limited_by;
  };
  CHECK(limit(64, 34, 24, 0) == "registers");  // gmem_4x4x4's PML on an H200
  CHECK(limit(64, 46, 20, 2304) == "registers");
  CHECK(limit(64, 24, 32, 0) == "nothing");
  CHECK(limit(768, 24, 2, 0) == "threads");
  CHECK(limit(256, 32, 3, 60000) == "shared memory");
}

TEST_CASE("The report's files", "[unit]") {
  const TemporaryDirectory folder;
  std::vector<Row> rows = {checked(sound_readings()), sound_row()};
  rows[0].flags = {{"roof", "120 % of the roof of dram"}};
  write_report({{"schema", "minimod.roofline/1"}}, ceilings, rows, folder.path());
  CHECK(folder.entries() == 4);  // nothing temporary is left

  const auto record = nlohmann::ordered_json::parse(std::ifstream(folder.path() / "roofline.json"));
  CHECK(record["schema"] == "minimod.roofline/1");
  CHECK(record["ceilings"][0]["best"] == 40);
  CHECK(record["ceilings"][0]["theoretical"] == 50);
  CHECK(record["ceilings"][1]["theoretical"].is_null());
  const auto& cells = record["kernels"][0]["cells"];
  CHECK(cells["dram_bytes"]["source"] == "measured");
  CHECK(cells["ai_dram"]["source"] == "derived");
  CHECK(cells["dram_bytes_compulsory"]["source"] == "analytic");
  CHECK(record["kernels"][0]["counters"]["gpu__time_duration.sum"] == 1050);
  CHECK(record["kernels"][0]["failed_checks"][0]["check"] == "roof");

  std::ostringstream table;
  table << std::ifstream(folder.path() / "table4.csv").rdbuf();
  bool complete = false;
  const auto lines = parse_csv(table.str(), complete);
  REQUIRE(lines.size() == 3);
  CHECK(complete);
  for (const auto& line : lines) CHECK(line.size() == lines[0].size());
  CHECK(lines[0][0] == "shape");
  CHECK(lines[1].back() == "roof");
  CHECK(lines[2].back().empty());
  CHECK(tables_text(rows).find("(!) gmem_8x8x8 inner: check roof failed") != std::string::npos);
}

TEST_CASE("The ceilings of a GPU are below the theoretical values and grow towards the cores", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const auto measured = gpu->measure_ceilings();
  const bool has_sides = gpu->l2_sides(cube_by_sides).are_known();
  CHECK(measured.size() == (has_sides ? 13 : 11));
  for (const Ceiling& ceiling : measured) {
    CAPTURE(ceiling.name);
    CHECK(ceiling.rates.size() == ceiling_repeats);
    const double best = *std::max_element(ceiling.rates.begin(), ceiling.rates.end());
    CHECK(best > 0);
    if (ceiling.theoretical > 0) CHECK(best < 1.02 * ceiling.theoretical);
  }
  CHECK(best_rate(measured, Level::l1).value_or(0) > best_rate(measured, Level::l2).value_or(0));
  CHECK(best_rate(measured, Level::l2).value_or(0) > best_rate(measured, Level::dram).value_or(0));
  const auto far = best_rate(measured, Level::fabric);
  CHECK(far.has_value() == has_sides);
  if (!has_sides) return;
  // Near reads do without the fabric, as those that the L2 keeps copies of do.
  const auto rate_of = [&](const std::string& name) {
    return best_rate({*std::ranges::find(measured, name, &Ceiling::name)}, Level::l2).value_or(0);
  };
  CHECK(rate_of("l2_near") > 0.9 * rate_of("l2_read"));
  CHECK(rate_of("l2_near") > 2 * *far);
}
