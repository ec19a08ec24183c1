/// Tiles that a tuner tries of each family, and the work of blocks.
#include "kernels/tiles/tile_space.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

namespace minimod {
namespace {

constexpr int order_8 = 4;

std::vector<NamedShape> space_of(const char* family, int radius = order_8,
                                 Precision precision = Precision::float32) {
  return tile_space(*find_family(family), radius, precision);
}

bool has(const std::vector<NamedShape>& space, const std::string& name) {
  return std::ranges::any_of(space, [&](const NamedShape& shape) {
    return shape_name(shape.family->name, shape.parameters) == name;
  });
}

BlockWork work(const std::string& name, Extent3 grid) {
  return work_of(*parse_shape_name(name), grid, order_8);
}

TEST_CASE("Every family has a space of tiles, each once, that GPUs can run", "[unit]") {
  for (const TileFamily& family : shape_families()) {
    for (const int radius : {1, order_8, 6, 8}) {
      for (const Precision precision : {Precision::float32, Precision::float64}) {
        CAPTURE(family.name, radius, bytes_of(precision));
        const auto space = tile_space(family, radius, precision);
        std::set<std::string> names;
        for (const NamedShape& shape : space) {
          const std::string name = shape_name(family.name, shape.parameters);
          CAPTURE(name);
          CHECK(names.insert(name).second);
          CHECK(parse_shape_name(name).has_value());
          CHECK(why_impossible(shape, radius, precision).empty());
          CHECK(family.threads(shape.parameters).points() >= 32);
        }
        if (radius == order_8) CHECK_FALSE(space.empty());
      }
    }
  }
}

TEST_CASE("Waves of 64 threads have a space of their own, and half as many do a block's work", "[unit]") {
  for (const TileFamily& family : shape_families()) {
    for (const NamedShape& shape : tile_space(family, order_8, Precision::float32, Equation::wave, 64)) {
      CAPTURE(shape_name(family.name, shape.parameters));
      CHECK(family.threads(shape.parameters).points() >= 64);
      if (!family.tried.is_cube)
        CHECK(shape.parameters.tile.x / std::max(1, shape.parameters.points_per_thread.x) % 32 == 0);
    }
  }
  const NamedShape shape = *parse_shape_name("st_reg_fixed_32x32");
  const BlockWork usual = work_of(shape, {512, 512, 512}, order_8),
                  wide = work_of(shape, {512, 512, 512}, order_8, Equation::wave, 64);
  CHECK((usual.warps == 32 && wide.warps == 16));
  CHECK((usual.rows_per_warp == 1 && wide.rows_per_warp == 2));
}

TEST_CASE("The space of register tiles is that of the paper's constraints", "[unit]") {
  const auto space = space_of("in_plane_full");
  CHECK(space.size() > 400);
  for (const char* best : {"in_plane_full_32x16_r1x4", "in_plane_full_64x16_r1x4",
                           "in_plane_full_256x8_r1x8_v2", "in_plane_full_64x8_r2x4"}) {
    CAPTURE(best);  // Table IV: (32, 4, 1, 4), (64, 4, 1, 4), (256, 1, 1, 8), (32, 2, 2, 4)
    CHECK(has(space, best));
  }
  CHECK_FALSE(has(space, "in_plane_full_40x8_r1x1"));  // no half-warps
  for (const NamedShape& shape : space) {
    const Extent3 threads = shape.family->threads(shape.parameters);
    CHECK(threads.x % 16 == 0);
    CHECK(threads.points() <= 1024);
    CHECK(shape.parameters.points_per_thread.points() <= 8);
  }
}

TEST_CASE("Spaces follow what families can do", "[unit]") {
  CHECK(has(space_of("smem_partial"), "smem_partial_48x4"));
  CHECK_FALSE(has(space_of("smem_partial"), "smem_partial_48x3"));  // the halo's rows
  CHECK(has(space_of("gmem"), "gmem_32x32x1"));
  CHECK(has(space_of("st_window"), "st_window_32x32x64"));
  CHECK(space_of("st_smem", 8, Precision::float64).size() < space_of("st_smem", 8).size());  // shared memory
  CHECK(has(space_of("st_window", 3), "st_window_64x16x64"));
  CHECK(space_of("smem_eta_1").size() == 5);
  CHECK(has(space_of("gmem_column"), "gmem_column_32x8x8"));
  CHECK_FALSE(has(space_of("gmem_column"), "gmem_column_32x8x16"));  // 16 points a thread
  CHECK(has(space_of("gmem"), "gmem_16x2x16"));
}

TEST_CASE("What a block has to do, by hand", "[unit]") {
  const BlockWork full = work("in_plane_full_64x16_r1x2", {512, 500, 256});
  CHECK(full.blocks == 8 * 32);  // 500 rows are 32 tiles, of which the last is masked
  CHECK(full.rounds == 256 + 8);
  CHECK(full.warps == 16);
  CHECK(full.points == 1024);
  CHECK(full.points_per_thread == 2);
  CHECK(full.loaded == 76 * 24);
  CHECK(full.operations == 8 * 4 + 1 + 4);
  CHECK(full.star_loads == 17);
  CHECK(full.rows_per_warp == 1);
  CHECK(full.own_values == 3);
  const BlockWork iteration =
      work_of(*parse_shape_name("in_plane_full_64x16_r1x2"), {512, 500, 256}, order_8, Equation::jacobi);
  CHECK(iteration.operations == 8 * 4 + 1);
  CHECK(iteration.own_values == 1);

  const BlockWork forward = work("st_reg_shft_32x16", {512, 512, 256});
  CHECK(forward.loaded == 40 * 24 - 4 * 16);
  CHECK(forward.operations == 7 * 4 + 1 + 4);

  const BlockWork slices = work("coarsened_32x8x64", {512, 512, 256});
  CHECK(slices.blocks == 16 * 64 * 4);
  CHECK(slices.rounds == 64 + 8);
  CHECK(slices.loaded == 40 * 16 - 4 * 16);
  CHECK(slices.points_per_thread == 1);
  CHECK(slices.star_loads == 25);  // z too is in shared memory

  const BlockWork volume = work("gmem_column_32x8x8", {64, 64, 64});
  CHECK(volume.rounds == 1);
  CHECK(volume.points_per_thread == 8);
  CHECK(volume.loaded == 2048 + 8 * (32 * 8 + 8 * 8 + 32 * 8));
  CHECK(volume.star_loads == 17 + 1);  // 16 values of the column for its 8 points
  CHECK(work("gmem_32x8x8", {64, 64, 64}).star_loads == 25);

  CHECK(work("st_reg_shft_16x8", {64, 64, 64}).rows_per_warp == 2);
  CHECK(work("in_plane_full_64x8_r4x1", {64, 64, 64}).rows_per_warp == 2);
  // 48, 48, 48, … in warps of 32: rows 0, 0 and 1, 1, 2, 2 and 3, 3
  CHECK(work("st_reg_shft_48x4", {64, 64, 64}).rows_per_warp == Catch::Approx(8.0 / 6));
}

}  // namespace
}  // namespace minimod
