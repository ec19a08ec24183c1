#include "boundary/decomposition.hpp"

namespace minimod {

std::vector<RegionLaunch> make_launches(const Grid& grid, const Regions& regions,
                                        Decomposition decomposition) {
  const Extent3 n = grid.n;
  const Box3 whole{{0, 0, 0}, {n.x, n.y, n.z}};
  if (decomposition == Decomposition::one) return {{"whole", Formula::mixed, whole, grid.layout}};
  const RegionLaunch inner{"inner", Formula::inner, regions.inner, {}};
  if (decomposition == Decomposition::two) return {inner, {"pml", Formula::outer, whole, grid.layout}};
  std::vector<RegionLaunch> launches{inner};
  std::int64_t first = 0;
  for (std::size_t i = 0; i < regions.pml.size(); ++i) {
    const Box3& box = regions.pml[i];
    if (box.empty()) continue;
    launches.push_back({std::string(pml_names[i]), Formula::pml, box, box_layout(box, grid.layout, first)});
    first += launches.back().phi.size;
  }
  return launches;
}

}  // namespace minimod
