#include "kernels/tile_space.hpp"

#include <algorithm>
#include <span>

namespace minimod {

namespace {

constexpr int half_warp = 16, warp = 32;
constexpr int most_tried_points_per_thread = 8;

/// The numbers that tiles are made of: along x and y those of the threads, but in volumes of the points.
struct TileAxes {
  std::vector<int> x, y = {}, z = {};
  std::vector<int> points_x = {}, points_y = {};  ///< of a thread
  std::vector<int> vector_widths = {};
  bool is_cube = false;  ///< x alone counts
};

TileAxes axes_of(TileForm form, bool marches_slices, const std::vector<int>& vector_widths) {
  if (marches_slices) {
    return {{16, 32, 64, 128}, {4, 6, 8, 12, 16, 24, 32}, {16, 32, 64, 128, 256}, {}, {}, vector_widths};
  }
  switch (form) {
    case TileForm::plane:
      return {{16, 32, 48, 64, 96, 128, 192, 256},
              {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64},
              {},
              {},
              {},
              vector_widths};
    case TileForm::volume:
      return {{16, 32, 64, 128, 256}, {1, 2, 4, 8, 16, 32}, {1, 2, 4, 8, 16, 32}, {}, {}, vector_widths};
    case TileForm::register_tiles:
      return {{16, 32, 64, 128, 256}, {1, 2, 4, 8, 16, 32}, {}, {1, 2, 4}, {1, 2, 3, 4, 6, 8}, vector_widths};
  }
  return {};
}

/// The extents before the first 0.
std::vector<int> given(std::span<const int> extents) {
  return {extents.begin(), std::ranges::find(extents, 0)};
}

TileAxes axes_of(const ShapeFamily& family) {
  const TriedTiles& tried = family.facts.tried;
  const bool names_vectors = family.form == TileForm::register_tiles;
  TileAxes axes = axes_of(family.form, family.facts.marches_slices,
                          names_vectors ? std::vector{2, 4} : std::vector{ShapeDefaults::vector_width});
  if (tried.x[0] == 0) return axes;
  axes.x = given(tried.x);
  axes.y = given(tried.y);
  axes.z = given(tried.z);
  axes.is_cube = tried.is_cube;
  return axes;
}

/// All that can be made of the axes.
std::vector<ShapeParameters> made_of(const TileAxes& axes) {
  std::vector<ShapeParameters> made;
  const auto or_one = [](const std::vector<int>& numbers, int one) {
    return numbers.empty() ? std::vector<int>{one} : numbers;
  };
  const bool has_register_tiles = !axes.points_x.empty();
  for (const int x : axes.x) {
    for (const int y : or_one(axes.y, x)) {
      for (const int z : or_one(axes.z, axes.is_cube ? x : 0)) {
        for (const int points_x : or_one(axes.points_x, 1)) {
          for (const int points_y : or_one(axes.points_y, 1)) {
            for (const int width : or_one(axes.vector_widths, ShapeDefaults::vector_width)) {
              const Extent3 points = has_register_tiles ? Extent3{points_x, points_y, 1} : Extent3{0, 0, 0};
              made.push_back({{x * points_x, y * points_y, z}, points, width});
            }
          }
        }
      }
    }
  }
  return made;
}

bool has_enough_threads(const ShapeParameters& of, Extent3 threads, bool marches) {
  const Extent3 points{of.tile.x, of.tile.y, marches ? 1 : std::max(of.tile.z, 1)};
  return threads.points() >= warp && points.points() <= most_tried_points_per_thread * threads.points();
}

}  // namespace

double mean_rows_per_warp(int row, int threads) {
  int rows = 0;
  for (int first = 0; first < threads; first += warp) {
    rows += (std::min(first + warp, threads) - 1) / row - first / row + 1;
  }
  return static_cast<double>(rows) / ceil_div(threads, warp);
}

std::vector<ShapeParameters> tiles_to_try(TileForm form, bool marches_slices,
                                          const std::vector<int>& vector_widths) {
  return made_of(axes_of(form, marches_slices, vector_widths));
}

bool is_worth_a_try(const ShapeParameters& of, Extent3 threads, bool marches) {
  const int row = of.tile.x / std::max(1, of.points_per_thread.x);  // of a vector's points, too
  return row % half_warp == 0 && has_enough_threads(of, threads, marches);
}

std::vector<NamedShape> tile_space(const ShapeFamily& family, int radius, Precision precision) {
  const TileAxes axes = axes_of(family);
  std::vector<NamedShape> space;
  for (const ShapeParameters& parameters : made_of(axes)) {
    const NamedShape shape{&family, parameters};
    const Extent3 threads = family.threads(parameters, false);
    const bool marches = family.marches(parameters);
    const bool is_tried = axes.is_cube ? has_enough_threads(parameters, threads, marches)
                                       : is_worth_a_try(parameters, threads, marches);
    if (is_tried && why_impossible(shape, radius, precision).empty()) {
      space.push_back(shape);
    }
  }
  return space;
}

BlockWork work_of(const NamedShape& shape, Extent3 grid, int radius, Equation equation) {
  const auto& [family, of] = shape;
  const FamilyFacts& facts = family->facts;
  const Extent3 tile = of.tile, block = family->threads(of, false);
  const int threads = static_cast<int>(block.points());
  const bool is_wave = equation == Equation::wave, marches = family->marches(of);
  const int update = is_wave ? 4 : 0;  // operations that make u⁺ of the sum
  BlockWork work;
  work.blocks = static_cast<double>(blocks_over(shape, {{0, 0, 0}, {grid.x, grid.y, grid.z}}).points());
  work.rounds = marches ? (tile.z == 0 ? grid.z : tile.z) + 2 * radius : 1;
  work.warps = ceil_div(threads, warp);
  work.points = static_cast<double>(Extent3{tile.x, tile.y, marches ? 1 : tile.z}.points());
  work.points_per_thread = work.points / threads;
  work.loaded = facts.loaded_values(of, radius);
  work.operations = 7 * radius + 1 + facts.more_operations(radius) + update;
  work.star_loads = facts.star_loads(of, radius);
  work.own_values = is_wave ? 3 : 1;
  work.rows_per_warp = mean_rows_per_warp(block.x, threads);
  return work;
}

}  // namespace minimod
