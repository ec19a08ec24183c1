/// The tutorial on stencils: its kernels are right, and its page shows them.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "kernels/compiled/code_cache.hpp"
#include "kernels/stencils/tutorial/register_tiled.hpp"
#include "kernels/stencils/tutorial/tiled.hpp"
#include "kernels/tiles/tile_space.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/measure/stencils/stencil_verification.hpp"
#include "src/stencil/kernel_source.hpp"
#include "src/stencil/language/shipped.hpp"
#include "validation/shapes/step_without_barrier.hpp"
#include "validation/unit/kernels/gpu_target.hpp"

namespace minimod::stencil {

namespace {

const std::string tutorial_folder = "kernels/stencils/tutorial/";

std::vector<const StencilFamily*> steps_of_tutorial() {
  std::vector<const StencilFamily*> steps;
  for (const StencilFamily& family : stencil_families()) {
    if (family.tutorial_header != nullptr) steps.push_back(&family);
  }
  return steps;
}

std::string text_of(const std::string& file) {
  std::ifstream stream(std::string(MINIMOD_SOURCE_DIR) + "/" + tutorial_folder + file);
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

/// The lines of a file from the first that begins so to the first behind it that is the last.
std::vector<std::string> lines_between(std::istream& file, const std::string& first,
                                       const std::string& last) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (lines.empty() && !line.starts_with(first)) continue;
    if (line == last) break;
    lines.push_back(line);
  }
  return lines;
}

void check_agreement(const std::string& names, Extent3 n, Backend* gpu) {
  const Specification specification = find_specification(std::string(tutorial_stencil));
  const auto kernels = parse_kernel_names(names);
  const auto verdicts = verify(specification, kernels, {n, 5}, gpu);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    CAPTURE(kernels[i].text(), verdicts[i].error, verdicts[i].why_not, verdicts[i].fault);
    CHECK(verdicts[i].is_right);
  }
}

std::string usual_names() {
  std::string names;
  for (const StencilFamily* step : steps_of_tutorial())
    names += (names.empty() ? "" : ",") + std::string(step->name);
  return names;
}

constexpr Extent3 small_grid{33, 9, 5};

double greatest_error(const EditedStep& faulty) {
  constexpr Extent3 n = small_grid;
  double greatest = 0;
  for (int item = 0; item < n.points(); ++item) {
    const Index3 p{item % n.x, item / n.x % n.y, item / n.x / n.y};
    const double error = std::abs(faulty.value(p) - faulty.right_value(p));
    if (!(error <= greatest)) greatest = error;
  }
  return greatest;
}

/// The greatest error of a step by the kernel with its `barrier`-th barrier taken out, in the grid.
double error_without_barrier(const StencilFamily& step, int barrier) {
  const Specification specification = find_specification(std::string(tutorial_stencil));
  return greatest_error(StepWithoutBarrier(specification, parse_kernel_name(step.name),
                                           tutorial_folder + step.tutorial_header, barrier, small_grid));
}

}  // namespace

TEST_CASE("The tutorial's page shows the four kernels that run, of under 40 lines each", "[shapes]") {
  std::istringstream page(text_of("README.md"));
  REQUIRE(steps_of_tutorial().size() == 4);
  for (const StencilFamily* step : steps_of_tutorial()) {
    CAPTURE(step->tutorial_header);
    std::istringstream header(text_of(step->tutorial_header));
    const auto kernel = lines_between(header, "/// Step", "}  // namespace minimod::tutorial");
    auto shown = lines_between(page, "/// Step", "```");
    shown.emplace_back();  // before the end of the namespace
    CHECK(shown == kernel);
    CHECK(shown.size() <= 40);
  }
}

TEST_CASE("The tutorial's kernels agree with the equations, and need all their barriers", "[shapes]") {
  check_agreement(
      "tutorial_naive_5x3,tutorial_tiled_3x5x2,tutorial_coarsened_4x3x2,tutorial_register_tiled_7x2x3",
      {19, 13, 7}, nullptr);
  check_agreement(usual_names(), {33, 9, 35}, nullptr);
  const auto steps = steps_of_tutorial();
  CHECK_FALSE(error_without_barrier(*steps[1], 0) < 1e-6);
  for (const int barrier : {0, 1}) {
    CHECK_FALSE(error_without_barrier(*steps[2], barrier) < 1e-6);
    CHECK_FALSE(error_without_barrier(*steps[3], barrier) < 1e-6);
  }
}

TEST_CASE("The exercises of the first three steps can be done, and their hints are right", "[shapes]") {
  check_agreement("tutorial_naive_32x8,tutorial_naive_8x32,tutorial_naive_1x256", {33, 9, 5}, nullptr);
  for (const auto& [row, rows] : {std::pair{32, 1}, std::pair{8, 4}, std::pair{1, 32}}) {
    CHECK(mean_rows_per_warp(row, 256) == rows);
  }
  check_agreement("tutorial_tiled_8x8x8,tutorial_tiled_16x8x4,tutorial_tiled_32x4x4,tutorial_tiled_128x2x2",
                  {33, 9, 10}, nullptr);
  std::vector<double> asked;
  for (const Extent3 tile : {Extent3{8, 8, 8}, Extent3{16, 8, 4}, Extent3{32, 4, 4}, Extent3{128, 2, 2}}) {
    CHECK(tutorial::TiledBlock::threads(tile).points() == 512);
    asked.push_back(tutorial::TiledBlock::shared_floats(tile) / 512.0);
  }
  CHECK(std::abs(asked[0] - 1.95) < 0.005);
  CHECK(std::ranges::min(asked) == asked[0]);
  check_agreement("tutorial_coarsened_32x8x4,tutorial_coarsened_32x8x16,tutorial_coarsened_32x8x512",
                  {33, 9, 19}, nullptr);
  CHECK(blocks_of(parse_kernel_name("tutorial_coarsened_32x8x512"), {512, 512, 512}).points() == 1024);
}

TEST_CASE("The last exercise can be done: a thread of step 4 with two points", "[shapes]") {
  const StencilFamily& step = *steps_of_tutorial()[3];
  const KernelName kernel = parse_kernel_name("tutorial_register_tiled_32x8x32");
  CHECK(step.threads(kernel.parameters) == tutorial::RegisterTiledBlock::threads(kernel.parameters.tile));
  std::ifstream file(MINIMOD_SOURCE_DIR "/validation/shapes/two_points_a_thread.hpp");
  std::ostringstream solution;
  solution << file.rdbuf();
  const auto put_in = [&](std::string& text, std::string& header) {
    header = solution.str();
    const std::string before = "::threads == minimod::Extent3{32, 8, 1}", after = "{32, 4, 1}";
    const auto at = text.find(before);  // check of the launch, which the program has from the header
    REQUIRE(at != std::string::npos);
    text.replace(at + before.size() - after.size(), after.size(), after);
  };
  const EditedStep done(find_specification(std::string(tutorial_stencil)), kernel,
                        tutorial_folder + step.tutorial_header, put_in, small_grid);
  CHECK(greatest_error(done) < 1e-6);
}

TEST_CASE("The tutorial's kernels are for its stencil alone", "[shapes]") {
  const Specification its = find_specification(std::string(tutorial_stencil));
  const auto why = [](const char* name, const Specification& specification) {
    return why_not(parse_kernel_name(name), specification);
  };
  CHECK(why("tutorial_naive", its).empty());
  CHECK(why("tutorial_naive", find_specification("zhang_7")) == "it is written for seven_point");
  CHECK(why("tutorial_tiled", with_precision(its, Precision::float64)) ==
        "it is written for single precision");
  CHECK(why("tutorial_coarsened_ro", its) == "it has no read-only path");
  CHECK(why("tutorial_tiled_32x32x2", its).find("2048 threads, at most 1024") != std::string::npos);
  CHECK(std::ranges::none_of(parse_kernel_names("all"),
                             [](const KernelName& name) { return name.family->tutorial_header != nullptr; }));
}

void check_tutorial_taken(const GpuTarget& gpu) {
  gpu.skip_without_compiler();
  const TemporaryDirectory folder;
  const CodeCache cache(folder.path() / "cache");
  const Specification its = find_specification(std::string(tutorial_stencil));
  for (const KernelName& name : parse_kernel_names(usual_names())) {
    CAPTURE(name.text());
    CHECK(gpu.takes(device_source(its, name), cache));
  }
}

TEST_CASE("nvrtc takes the tutorial's kernels", "[shapes]") {
  check_tutorial_taken(GpuTarget::h100());
}

TEST_CASE("hiprtc takes the tutorial's kernels", "[shapes]") {
  check_tutorial_taken(GpuTarget::mi200());
}

TEST_CASE("The tutorial's kernels agree with the equations on a GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  check_agreement(usual_names(), Problem{}.n, gpu.get());
}

}  // namespace minimod::stencil
