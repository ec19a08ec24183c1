#include "src/stencil/kernel_space.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace minimod::stencil {
namespace {

/// Loads of an array at a point from the memory that its block or its warp shares: values above and below the
/// point are in its own registers where only planes are staged.
double shared_loads(const KernelName& kernel, const ArrayFacts& array, bool has_corners) {
  const bool keeps_column = kernel.family->marches && !has_corners;
  std::set<std::pair<int, int>> columns;
  for (const Index3 at : array.offsets) {
    if (!keeps_column || at.x != 0 || at.y != 0) columns.insert({at.x, at.y});
  }
  if (keeps_column) return static_cast<double>(columns.size()) + 1;
  return static_cast<double>(array.offsets.size());
}

/// Values of an array that a block takes from memory in a round.
double loaded_values(const KernelName& kernel, Reach reach) {
  const Extent3 tile = kernel.parameters.tile;
  const double plane = (tile.x - 1.0 + depth_x(reach)) * (tile.y - 1.0 + depth_y(reach));
  return kernel.family->marches ? plane : plane * (std::max(tile.z, 1) - 1.0 + depth_z(reach));
}

}  // namespace

std::vector<KernelName> kernel_space(const KernelName& like, const Specification& specification, int warp) {
  std::vector<KernelName> space;
  for (const ShapeParameters& tile : tiles_to_try(*like.family, warp)) {
    const KernelName kernel{like.family, tile, like.read_only};
    if (why_not(kernel, specification).empty()) space.push_back(kernel);
  }
  return space;
}

BlockWork work_of(const KernelName& kernel, const Specification& specification, Extent3 grid, int warp) {
  const Facts facts = facts_of(specification);
  BlockWork work = work_of_tile(*kernel.family, kernel.parameters, blocks_of(kernel, grid), grid,
                                depth_z(facts.reach) - 1, warp);
  work.operations = facts.operations();
  work.halo_fields = 0;
  for (std::size_t i = 0; i < facts.arrays.size(); ++i) {
    const ArrayFacts& array = facts.arrays[i];
    if (specification.arrays[i].is_output || !is_beside(array.reach)) {
      work.own_values += 1;
      continue;
    }
    work.halo_fields += 1;
    work.loaded += loaded_values(kernel, array.reach);
    work.star_loads += shared_loads(kernel, array, array.reads_corners);
  }
  return work;
}

}  // namespace minimod::stencil
