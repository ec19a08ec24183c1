/// Stencils and kernels that lists name, tiles that a tuner tries, and the work of their blocks.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "src/stencil/kernel_space.hpp"
#include "src/stencil/language/shipped.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod::stencil {
namespace {

std::vector<std::string> texts(const std::vector<KernelName>& kernels) {
  std::vector<std::string> all;
  for (const KernelName& kernel : kernels) all.push_back(kernel.text());
  return all;
}

TEST_CASE("Lists of stencils have names, patterns and files, each once", "[unit]") {
  using Names = std::vector<std::string>;
  CHECK(matching_stencils("all") == shipped_names());
  CHECK(matching_stencils("zhang_*,zhang_7,himeno") == Names{"zhang_7", "zhang_13", "zhang_27", "himeno"});
  CHECK(matching_stencils("./a.stencil,div") == Names{"./a.stencil", "div"});
  const auto outcome = outcome_of([] { static_cast<void>(find_specifications("div,himno")); });
  CHECK(outcome.kind == ErrorKind::missing_input);
  CHECK(outcome.says("did you mean himeno"));
}

TEST_CASE("Lists of kernels have names and patterns of usual ones, each once", "[unit]") {
  using Names = std::vector<std::string>;
  const auto usual = static_cast<std::size_t>(std::ranges::count(
      stencil_families(), static_cast<const char*>(nullptr), &StencilFamily::tutorial_header));
  CHECK(texts(parse_kernel_names("gmem,naive,smem_u_16x4x4,st_reg_shft_ro,st_reg_shift_32x4")) ==
        Names{"naive_64x4_v2", "tiled_16x4x4", "forward_plane_32x8_ro", "forward_plane_32x4"});
  CHECK(parse_kernel_names("all").size() == 2 * (usual - 1));  // without that of a CPU's cores
  CHECK(parse_kernel_names("all", UsualKernels::of_host).size() == usual);
  CHECK(texts(parse_kernel_names("tiled*,tiled_8x4x4,tiled")) ==
        Names{"tiled_32x4x4", "tiled_32x4x4_ro", "tiled_8x4x4"});
  CHECK(outcome_of([] { static_cast<void>(parse_kernel_names("gmem*")); }).kind == ErrorKind::parameter);
}

TEST_CASE("Every family has a space of tiles that a stencil can take, each once", "[unit]") {
  for (const char* name : {"zhang_7", "zhang_27", "himeno", "tang_12"}) {
    const Specification specification = find_specification(name);
    for (const KernelName& usual : parse_kernel_names("all")) {
      CAPTURE(name, usual.text());
      const auto space = kernel_space(usual, specification);
      CHECK(space.empty() == !why_not(usual, specification).empty());
      std::set<std::string> names;
      for (const KernelName& kernel : space) {
        CHECK(names.insert(kernel.text()).second);
        CHECK(parse_kernel_name(kernel.text()).text() == kernel.text());
        CHECK(kernel.family_text() == usual.family_text());
        CHECK(why_not(kernel, specification).empty());
      }
      if (!space.empty()) CHECK(names.contains(usual.text()));
    }
  }
}

TEST_CASE("Vectors are in the names and the spaces of the families that have them", "[unit]") {
  const Specification star = find_specification("zhang_7");
  for (const char* name : {"naive_64x4", "naive_64x4_v2", "in_plane_full_64x8_r2x1_v4_ro"}) {
    CAPTURE(name);
    const KernelName kernel = parse_kernel_name(name);
    CHECK(kernel.text() == name);
    const auto space = texts(kernel_space(kernel, star));
    CHECK(std::ranges::count(space, name) == 1);
  }
  CHECK(parse_kernel_name("naive_64x4_v1").text() == "naive_64x4");
  CHECK(parse_kernel_name("naive_64x4_v4").family->threads({{64, 4, 0}, {}, 4}).x == 16);
  const auto tiled = texts(kernel_space(parse_kernel_name("tiled"), star));
  CHECK(std::ranges::none_of(tiled,
                             [](const std::string& name) { return name.find("_v") != std::string::npos; }));
}

TEST_CASE("A block of a star has the work of the same code shape", "[unit]") {
  constexpr Extent3 grid{512, 512, 256};
  constexpr int radius = 4;
  const Specification star = find_specification("tang_8");
  const BlockWork own = work_of(parse_kernel_name("in_plane_full_64x16_r1x4"), star, grid);
  const BlockWork shape = minimod::work_of(*parse_shape_name("in_plane_full_64x16_r1x4"), grid, radius,
                                           minimod::Equation::jacobi);
  CHECK(own.blocks == shape.blocks);
  CHECK(own.rounds == shape.rounds);
  CHECK(own.warps == shape.warps);
  CHECK(own.points == shape.points);
  CHECK(own.points_per_thread == shape.points_per_thread);
  CHECK(own.star_loads == shape.star_loads);
  CHECK(own.halo_fields == 1);
  CHECK(own.own_values == shape.own_values);
  CHECK(own.rows_per_warp == shape.rows_per_warp);
  CHECK(own.loaded == (64 + 2 * radius) * (16 + 2 * radius));
  CHECK(own.operations == 7 * radius + 1);
}

TEST_CASE("Arrays without a halo count as a point's own", "[unit]") {
  const Specification himeno = find_specification("himeno");
  const BlockWork work = work_of(parse_kernel_name("tiled_32x4x4"), himeno, {64, 64, 64});
  CHECK(work.halo_fields == 1);
  CHECK(work.own_values == 13);  // twelve weights, and what is written
  CHECK(work.star_loads == 19);
  CHECK(work.loaded == 34 * 6 * 6);
  CHECK(work.rounds == 1);
  CHECK(work.blocks == 2 * 16 * 16);
}

}  // namespace
}  // namespace minimod::stencil
