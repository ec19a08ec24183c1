#include "src/job/outputs/model_sections.hpp"

#include <algorithm>

namespace minimod {

namespace {

constexpr int most_nodes = 1000;  // along an axis: a picture has no more columns

std::vector<double> positions(int points, int step, double spacing) {
  std::vector<double> list;
  for (int i = 0; i < points; i += step) list.push_back(i * spacing);
  return list;
}

int step_for(int points) {
  return 1 + (points - 1) / most_nodes;
}

}  // namespace

ModelSections take_sections(const SampledMedium& medium, const Slab& slab, Index3 wanted) {
  const Box3& box = medium.inner();
  const Index3 at{std::clamp(wanted.x, box.begin.x, box.end.x - 1),
                  std::clamp(wanted.y, box.begin.y, box.end.y - 1), wanted.z};
  const Extent3 n = box.extent();
  const Point3 h = medium.spacing();
  const Extent3 step{step_for(n.x), step_for(n.y), step_for(n.z)};
  ModelSections sections;
  sections.x = positions(n.x, step.x, h.x);
  sections.y = positions(n.y, step.y, h.y);
  sections.z = positions(n.z, step.z, h.z);
  const auto add = [&](std::vector<float>& section, const Box3& nodes) {
    const std::vector<float> values = medium.values(nodes);
    const Extent3 size = nodes.extent();
    for (int z = 0; z < size.z; ++z) {
      for (int y = 0; y < size.y; y += step.y) {
        const std::size_t row = std::size_t(size.x) * (std::size_t(size.y) * z + y);
        for (int x = 0; x < size.x; x += step.x) section.push_back(values[row + x]);
      }
    }
  };
  if (slab.contains(at.z)) {
    add(sections.xy, {{box.begin.x, box.begin.y, at.z}, {box.end.x, box.end.y, at.z + 1}});
  }
  // Planes that are all wanted are asked for at once, which a GPU that has the model answers sooner.
  const int first = box.begin.z + round_up(std::max(0, slab.begin - box.begin.z), step.z);
  const int end = std::min(slab.end, box.end.z), planes = step.z == 1 ? std::max(1, end - first) : 1;
  for (int z = first; z < end; z += std::max(planes, step.z)) {
    add(sections.xz, {{box.begin.x, at.y, z}, {box.end.x, at.y + 1, z + planes}});
    add(sections.yz, {{at.x, box.begin.y, z}, {at.x + 1, box.end.y, z + planes}});
  }
  return sections;
}

/// z is the slowest axis of those that have one, and the one across z is of a single rank.
ModelSections take_sections(const SampledMedium& medium, const Slab& slab, Index3 at, Ranks& ranks) {
  ModelSections sections = take_sections(medium, slab, at);
  for (std::vector<float>* const section : {&sections.xy, &sections.xz, &sections.yz}) {
    std::vector<float> whole;
    for (int rank = 0; rank < ranks.size(); ++rank) {
      const std::vector<float> part = ranks.from(rank, *section);
      whole.insert(whole.end(), part.begin(), part.end());
    }
    *section = std::move(whole);
  }
  return sections;
}

}  // namespace minimod
