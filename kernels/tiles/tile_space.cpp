#include "kernels/tiles/tile_space.hpp"

#include <algorithm>
#include <span>

namespace minimod {

namespace {

constexpr int most_tried_points_per_thread = 8;

/// The numbers that tiles are made of: along x and y those of the threads, but in volumes of the points.
struct TileAxes {
  std::vector<int> x, y, z{0};
  std::vector<int> points_x{0}, points_y{0};  ///< points of a thread; 0 where it has no register tile
};

TileAxes axes_of_form(const TileFamily& family) {
  switch (family.form) {
    case TileForm::plane:
      return {{16, 32, 48, 64, 96, 128, 192, 256}, {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64}};
    case TileForm::volume:
      if (family.marches) {
        return {{16, 32, 64, 128}, {4, 6, 8, 12, 16, 24, 32}, {16, 32, 64, 128, 256}};
      }
      return {{16, 32, 64, 128, 256}, {1, 2, 4, 8, 16, 32}, {1, 2, 4, 8, 16, 32}};
    case TileForm::register_tiles:
      return {{16, 32, 64, 128, 256}, {1, 2, 4, 8, 16, 32}, {0}, {1, 2, 4}, {1, 2, 3, 4, 6, 8}};
  }
  return {};
}

/// Numbers before the first 0; that alone where there are none.
std::vector<int> given(std::span<const int> numbers) {
  const auto end = std::ranges::find(numbers, 0);
  return end == numbers.begin() ? std::vector{0} : std::vector(numbers.begin(), end);
}

TileAxes axes_of(const TileFamily& family) {
  const TriedTiles& tried = family.tried;
  if (tried.x[0] == 0) return axes_of_form(family);
  return {given(tried.x), given(tried.y), given(tried.z)};
}

/// All that can be made of the axes; of cubes x alone counts.
std::vector<ShapeParameters> all_tiles(const TileFamily& family) {
  const TileAxes axes = axes_of(family);
  const bool is_cube = family.tried.is_cube;
  std::vector<ShapeParameters> made;
  for (const int x : axes.x) {
    for (const int y : is_cube ? std::vector{x} : axes.y) {
      for (const int z : is_cube ? std::vector{x} : axes.z) {
        for (const int points_x : axes.points_x) {
          for (const int points_y : axes.points_y) {
            const Extent3 points{points_x, points_y, points_x > 0 ? 1 : 0};
            const Extent3 tile{x * std::max(points_x, 1), y * std::max(points_y, 1), z};
            for (const int width : given(family.vectors.tried)) made.push_back({tile, points, width});
          }
        }
      }
    }
  }
  return made;
}

/// Points of a block in a round.
double points_of_round(const TileFamily& family, Extent3 tile) {
  return double{1} * tile.x * tile.y * (family.marches ? 1 : std::max(tile.z, 1));
}

bool is_worth_a_try(const TileFamily& family, const ShapeParameters& of, int warp) {
  const int row = of.tile.x / std::max(1, of.points_per_thread.x);  // for points of a vector, too
  const auto threads = static_cast<double>(family.threads(of).points());
  return (family.tried.is_cube || row % (warp / 2) == 0) && threads >= warp &&
         points_of_round(family, of.tile) <= most_tried_points_per_thread * threads;
}

}  // namespace

double mean_rows_per_warp(int row, int threads, int warp) {
  int rows = 0;
  for (int first = 0; first < threads; first += warp) {
    rows += (std::min(first + warp, threads) - 1) / row - first / row + 1;
  }
  return static_cast<double>(rows) / ceil_div(threads, warp);
}

std::vector<ShapeParameters> tiles_to_try(const TileFamily& family, int warp) {
  std::vector<ShapeParameters> tiles = all_tiles(family);
  std::erase_if(tiles, [&](const ShapeParameters& of) { return !is_worth_a_try(family, of, warp); });
  return tiles;
}

std::vector<NamedShape> tile_space(const TileFamily& family, int radius, Precision precision,
                                   Equation equation, int warp) {
  std::vector<NamedShape> space;
  for (const ShapeParameters& parameters : tiles_to_try(family, warp)) {
    const NamedShape shape{&family, parameters};
    if (why_impossible(shape, radius, precision, equation).empty()) space.push_back(shape);
  }
  return space;
}

BlockWork work_of_tile(const TileFamily& family, const ShapeParameters& of, Extent3 blocks, Extent3 grid,
                       int planes_beside, int warp) {
  const Extent3 tile = of.tile, block = family.threads(of);
  const int threads = static_cast<int>(block.points());
  BlockWork work;
  work.blocks = static_cast<double>(blocks.points());
  work.rounds = family.marches ? (tile.z == 0 ? grid.z : tile.z) + planes_beside : 1;
  work.warps = ceil_div(threads, warp);
  work.points = points_of_round(family, tile);
  work.points_per_thread = work.points / threads;
  work.rows_per_warp = mean_rows_per_warp(block.x, threads, warp);
  return work;
}

BlockWork work_of(const NamedShape& shape, Extent3 grid, int radius, Equation equation, int warp) {
  const auto& [family, of] = shape;
  const bool is_wave = equation == Equation::wave;
  const int update = is_wave ? 4 : 0;  // operations that make u⁺ of the sum
  const Extent3 blocks = blocks_over(shape, {{0, 0, 0}, {grid.x, grid.y, grid.z}});
  BlockWork work = work_of_tile(*family, of, blocks, grid, 2 * radius, warp);
  work.loaded = family->loaded_values(of, radius);
  work.operations = 7 * radius + 1 + family->more_operations(radius) + update;
  work.star_loads = family->star_loads(of, radius);
  work.own_values = is_wave ? 3 : 1;
  return work;
}

}  // namespace minimod
