#include "boundary/regions.hpp"

#include <algorithm>

namespace minimod {

std::int64_t Regions::pml_points() const {
  std::int64_t points = 0;
  for (const Box3& box : pml) points += box.points();
  return points;
}

Box3 inner_box(Extent3 n, const PmlWidths& w) {
  return {{w.left, w.front, w.top}, {n.x - w.right, n.y - w.back, n.z - w.bottom}};
}

Regions make_regions(Extent3 n, const PmlWidths& w) {
  const Box3 inner = inner_box(n, w);
  const Index3 a = inner.begin, b = inner.end;
  return {inner,
          {{{{0, 0, 0}, {n.x, n.y, a.z}},           // top
            {{0, 0, b.z}, {n.x, n.y, n.z}},         // bottom
            {{0, 0, a.z}, {n.x, a.y, b.z}},         // front
            {{0, b.y, a.z}, {n.x, n.y, b.z}},       // back
            {{0, a.y, a.z}, {a.x, b.y, b.z}},       // left
            {{b.x, a.y, a.z}, {n.x, b.y, b.z}}}}};  // right
}

Box3 common_points(const Box3& a, const Box3& b) {
  return {{std::max(a.begin.x, b.begin.x), std::max(a.begin.y, b.begin.y), std::max(a.begin.z, b.begin.z)},
          {std::min(a.end.x, b.end.x), std::min(a.end.y, b.end.y), std::min(a.end.z, b.end.z)}};
}

}  // namespace minimod
