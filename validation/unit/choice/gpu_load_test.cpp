/// Notes of a run on a shape that suits its grid badly, on a GPU that is a table.
#include "src/choice/gpu_load.hpp"

#include <map>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "kernels/registry.hpp"
#include "src/base/error.hpp"
#include "src/choice/device_choice.hpp"
#include "src/solver/schedule.hpp"

using namespace minimod;
using Catch::Approx;

namespace {

/// Blocks that a multiprocessor of an H200 holds of a shape: of its inner kernel, and of its PML's.
struct Held {
  int inner, pml;
};
const std::map<std::string, Held> held_on_h200{{"st_reg_fixed_32x32", {1, 1}},
                                               {"st_reg_shft_32x16", {3, 3}},
                                               {"gmem_16x16x4", {2, 2}},
                                               {"gmem_8x8x8", {4, 4}}};
constexpr int multiprocessors = 132;

StepProblem cube(int n) {
  const BoundarySpec boundary = make_boundary_spec(BoundaryKind::pml, 27, false, 2000, 10);
  return {make_grid({n, n, n}, {20, 20, 20}, boundary), boundary};
}

LoadsOf on_h200(const StepProblem& problem) {
  return [problem](const KernelSet& kernels) {
    std::vector<LaunchLoad> launches;
    for (const RegionLaunch& launch : kernels.schedule->launches(problem)) {
      const CodeShape& shape = kernels.of(launch.formula);
      const Held held = held_on_h200.at(shape.name);
      Extent3 tile = shape.tile;
      if (tile.z == 0) tile.z = launch.box.extent().z;  // the block streams along it
      launches.push_back({static_cast<double>(launch.box.points()),
                          static_cast<int>(blocks_covering(launch.box.extent(), tile).points()),
                          multiprocessors * (launch.formula == Formula::inner ? held.inner : held.pml)});
    }
    return launches;
  };
}

IdleFacts facts_of(const std::string& inner, const std::string& pml, const Schedule& schedule, int n) {
  const StepProblem problem = cube(n);
  return idle_facts({&find_shape(inner), &find_shape(pml), &schedule}, problem, on_h200(problem));
}

double time_of(const std::string& inner, const std::string& pml, const Schedule& schedule, int n) {
  const auto launches = on_h200(cube(n))({&find_shape(inner), &find_shape(pml), &schedule});
  return time_of(launches, schedule.launches_at_once());
}

const std::string fixed = "st_reg_fixed_32x32", blocks_3d = "gmem_16x16x4";

}  // namespace

TEST_CASE("A launch takes the rounds that its blocks need, full or not", "[unit]") {
  CHECK(time_of({{100, 10, 10}}, false) == Approx(100));
  CHECK(time_of({{100, 5, 10}}, false) == Approx(200));
  CHECK(time_of({{100, 15, 10}}, false) == Approx(100 / 0.75));  // two rounds, the second half empty
  const std::vector<LaunchLoad> two{{100, 10, 10}, {50, 1, 10}};
  CHECK(time_of(two, false) == Approx(600));
  CHECK(idle_share(two, false) == Approx(0.75));
  CHECK(time_of(two, true) == Approx(500));  // the thin one
  CHECK(idle_share(two, true) == Approx(0.7));
  CHECK(idle_share({{100, 10, 10}, {100, 20, 10}}, true) == 0);
  CHECK(idle_share({}, false) == 0);
}

TEST_CASE("A shape that suits its grid badly is told with what is faster", "[unit]") {
  const IdleFacts facts = facts_of(fixed, fixed, sequence(), 200);
  CHECK(facts.share == Approx(0.90).margin(0.01));
  CHECK(facts.note ==
        "st_reg_fixed_32x32 leaves 90 % of the GPU idle on this grid, with launches of 5 to 49 blocks where "
        "132 fit at once; faster: --schedule beside, --pml-kernel gmem_16x16x4, or what --kernel auto takes");
  // Measured on an H200: 4.1 Gpt/s, 17.8 with the one, 18.6 with the other.
  const double time = time_of(fixed, fixed, sequence(), 200);
  CHECK(time / time_of(fixed, fixed, beside(), 200) == Approx(17.8 / 4.1).epsilon(0.25));
  CHECK(time / time_of(fixed, blocks_3d, sequence(), 200) == Approx(18.6 / 4.1).epsilon(0.25));
}

TEST_CASE("A shape that suits its grid is not told", "[unit]") {
  for (const int n : {200, 512, 1000}) {
    CAPTURE(n);
    for (const std::string& shape : {blocks_3d, std::string("gmem_8x8x8")}) {
      const IdleFacts facts = facts_of(shape, shape, sequence(), n);
      CHECK(facts.share < 0.1);
      CHECK(facts.note.empty());
    }
  }
  const IdleFacts large = facts_of(fixed, fixed, sequence(), 1000);
  CHECK(large.share > 0.2);
  CHECK(large.note.empty());
}

TEST_CASE("What is at work already, or promises nothing, is not told as faster", "[unit]") {
  const IdleFacts at_once = facts_of(fixed, fixed, beside(), 200);
  CHECK(at_once.note.ends_with("fit at once; --kernel auto takes the fastest"));
  const IdleFacts filled = facts_of(fixed, blocks_3d, sequence(), 200);
  CHECK(filled.note.find("st_reg_fixed_32x32 with gmem_16x16x4 leaves ") == 0);
  CHECK(filled.note.find("--pml-kernel") == std::string::npos);
  CHECK(filled.note.find("132 to 264 fit at once") != std::string::npos);
  // Without a layer there is one launch.
  StepProblem bare = cube(200);
  bare.boundary = make_boundary_spec(BoundaryKind::pml, 0, false, 2000, 10);
  const KernelSet kernels{&find_shape(fixed), &find_shape(fixed)};
  CHECK(idle_facts(kernels, bare, on_h200(bare)).note.ends_with("--kernel auto takes the fastest"));
}

TEST_CASE("Only kernels that are named on a GPU are told", "[unit]") {
  KernelOptions options;
  DeviceChoice choice;
  choice.kernels = {&find_shape(fixed), &find_shape(fixed)};
  choice.device.kind = gpu_kind;
  CHECK_FALSE(idle_facts(options, cube(200), choice).has_value());  // --kernel auto
  options.kernel = fixed;
  choice.device.kind = "cpu";
  CHECK_FALSE(idle_facts(options, cube(200), choice).has_value());
}

TEST_CASE("A GPU says itself what its launches leave idle", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  KernelOptions options;
  options.kernel = fixed;
  DeviceChoice choice;
  choice.backend = gpu_devices.make(0);
  choice.device = choice.backend->info();
  choice.kernels = {&find_shape(fixed), &find_shape(fixed)};
  const auto bad = idle_facts(options, cube(120), choice);
  REQUIRE(bad.has_value());
  CHECK(bad->note.find("--schedule beside") != std::string::npos);
  choice.kernels = {&find_shape(blocks_3d), &find_shape(blocks_3d)};
  const auto good = idle_facts(options, cube(512), choice);
  REQUIRE(good.has_value());
  CHECK(good->share < 0.2);
  CHECK(good->note.empty());
}

TEST_CASE("Another choice that the grid is beyond is not told", "[unit]") {
  const StepProblem problem = cube(200);
  const KernelSet kernels{&find_shape(fixed), &find_shape(fixed)};
  const auto refusing = [&](const KernelSet& asked) {
    if (asked.pml->name == blocks_3d) throw Error(ErrorKind::resource, "too many blocks", "");
    return on_h200(problem)(asked);
  };
  const std::string note = idle_facts(kernels, problem, refusing).note;
  CHECK(note.find("--schedule beside, or") != std::string::npos);
  CHECK(note.find("--pml-kernel") == std::string::npos);
}
