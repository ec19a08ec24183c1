#include "kernels/grid.hpp"

#include <algorithm>

namespace minimod {

namespace {
/// Values before the first point of a row of the storage of a box.
std::int64_t lead_of(const Box3& box, const Layout& field) {
  return field.index(box.begin.x, box.begin.y, box.begin.z) % vector_alignment;
}
}  // namespace

Grid make_grid(Extent3 n, Point3 spacing, int aligned_x, Difference difference, Precision precision) {
  const std::int64_t halo = difference.radius;
  // The halo of a row is within whole vectors, which tiles are copied with.
  const std::int64_t lead = round_up(aligned_x + round_up(halo, vector_alignment), row_alignment) - aligned_x;
  Layout layout;
  layout.stride_y = round_up(lead + n.x + halo, row_alignment);
  // An odd multiple: rows a power of two apart would meet in the same few sets of a cache, and a star has
  // nine.
  if (layout.stride_y / row_alignment % 2 == 0) layout.stride_y += row_alignment;
  layout.stride_z = layout.stride_y * (n.y + 2 * halo);
  layout.origin = halo * layout.stride_z + halo * layout.stride_y + lead;
  layout.size = layout.stride_z * (n.z + 2 * halo);
  return {n, spacing, layout, difference.radius, precision, difference.weights};
}

std::int64_t Grid::own_points(Box3 box) const {
  box.begin.z = std::max(box.begin.z, own().begin.z);
  box.end.z = std::min(box.end.z, own().end.z);
  return box.points();
}

Layout box_layout(const Box3& box, const Layout& field, std::int64_t first) {
  const Extent3 n = box.extent();
  const std::int64_t lead = lead_of(box, field);
  Layout layout;
  layout.stride_y = round_up(lead + n.x, vector_alignment);
  layout.stride_z = layout.stride_y * n.y;
  layout.origin =
      first + lead - (box.begin.x + box.begin.y * layout.stride_y + box.begin.z * layout.stride_z);
  layout.size = layout.stride_z * n.z;
  return layout;
}

std::int64_t plane_of_box(const Layout& storage, const Box3& box, const Layout& field, int z) {
  return storage.index(box.begin.x, box.begin.y, z) - lead_of(box, field);
}

}  // namespace minimod
