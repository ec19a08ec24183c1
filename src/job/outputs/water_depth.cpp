#include "src/job/outputs/water_depth.hpp"

#include <algorithm>

namespace minimod {

namespace {

double floor_of(const std::vector<Layer>& layers) {
  const auto rock = std::ranges::find_if(layers, [](const Layer& layer) { return layer.v > fastest_water; });
  return rock == layers.end() || rock == layers.begin() ? 0 : rock->top;
}

/// Columns of the grid, from the first node to the last along x and y.
Box3 box_around(const std::vector<Index3>& nodes) {
  const auto [left, right] = std::ranges::minmax(nodes, {}, &Index3::x);
  const auto [front, back] = std::ranges::minmax(nodes, {}, &Index3::y);
  return {{left.x, front.y, 0}, {right.x + 1, back.y + 1, 1}};
}

/// Planes of water from the top of this rank's share of the model on, in the column of each node.
std::vector<int> wet_planes(const SampledMedium& medium, const std::vector<Index3>& nodes, int begin,
                            int end) {
  std::vector<int> planes(nodes.size(), 0);
  Box3 around = box_around(nodes);
  const Extent3 n = around.extent();
  bool is_wet = true;
  for (int z = begin; z < end && is_wet; ++z) {
    around.begin.z = z;
    around.end.z = z + 1;
    const std::vector<float> velocities = medium.values(around);
    is_wet = false;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const float v =
          velocities[std::size_t(n.x) * (nodes[i].y - around.begin.y) + nodes[i].x - around.begin.x];
      if (planes[i] < z - begin || v > fastest_water) continue;
      ++planes[i];
      is_wet = true;
    }
  }
  return planes;
}

/// Depths of the sea floor in the whole model, m. A column of a slab that is all water goes on in the next
/// one.
std::vector<double> floors_of_file(const SampledMedium& medium, const DomainCut& cut,
                                   const std::vector<Index3>& nodes, Ranks& ranks) {
  const Box3& box = medium.inner();
  const Slab here = cut.slab(medium.grid().z);
  const auto begin_of = [&](const Slab& slab) { return std::max(slab.begin, box.begin.z); };
  const auto end_of = [&](const Slab& slab) { return std::min(slab.end, box.end.z); };
  const std::vector<int> mine =
      wet_planes(medium, nodes, begin_of(here), std::max(begin_of(here), end_of(here)));
  std::vector<int> all(nodes.size()), is_open(nodes.size(), 1);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const Slab slab = cut.slabs.empty() ? here : cut.slabs[rank];
    const std::vector<int> wet = ranks.from(rank, mine);
    const int planes = std::max(0, end_of(slab) - begin_of(slab));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (is_open[i] != 0) all[i] += wet[i];
      if (wet[i] < planes) is_open[i] = 0;
    }
  }
  std::vector<double> floors;
  floors.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool has_floor = all[i] > 0 && is_open[i] == 0;
    floors.push_back(has_floor ? (all[i] - 0.5) * medium.spacing().z : 0);
  }
  return floors;
}

}  // namespace

std::vector<double> water_depths(const SampledMedium& medium, const DomainCut& cut, const Shot& shot,
                                 Ranks& ranks) {
  const Box3& box = medium.inner();
  std::vector<Index3> nodes{shot.sources.front().node};
  nodes.insert(nodes.end(), shot.receiver_nodes.begin(), shot.receiver_nodes.end());
  for (Index3& node : nodes) {
    node.x = std::clamp(node.x, box.begin.x, box.end.x - 1);
    node.y = std::clamp(node.y, box.begin.y, box.end.y - 1);
  }
  const VelocityModel& model = medium.model();
  if (model.from_file) return floors_of_file(medium, cut, nodes, ranks);
  return std::vector<double>(nodes.size(), floor_of(model.layers));
}

void set_water_depths(ShotGather& gather, const std::vector<double>& depths) {
  gather.metadata.emplace_back(source_water_name, depths.front());
  gather.water_depths.assign(depths.begin() + 1, depths.end());
}

}  // namespace minimod
