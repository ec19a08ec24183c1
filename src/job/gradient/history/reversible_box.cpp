#include "src/job/gradient/history/reversible_box.hpp"

#include <algorithm>

#include "boundary/layer.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

/// Widths of the layers with the points that they correct beside them.
PmlWidths corrected_widths(const BoundarySpec& spec, int radius) {
  PmlWidths w = spec.widths;
  const int beside = layer_of(spec.kind).corrected_beside(radius);
  for (int* const width : {&w.left, &w.right, &w.front, &w.back, &w.top, &w.bottom})
    if (*width > 0) *width += beside;
  return w;
}

/// Planes beside a box that lie in the grid, `radius` of them where there are as many.
std::vector<Box3> frame_of(const Box3& box, Extent3 n, int radius) {
  std::vector<Box3> frame;
  const auto add = [&](int Index3::*along, int points) {
    const int low = box.begin.*along, high = box.end.*along;
    Box3 below = box, above = box;
    below.begin.*along = std::max(0, low - radius);
    below.end.*along = low;
    above.begin.*along = high;
    above.end.*along = std::min(points, high + radius);
    for (const Box3& planes : {below, above})
      if (!planes.empty()) frame.push_back(planes);
  };
  add(&Index3::x, n.x);
  add(&Index3::y, n.y);
  add(&Index3::z, n.z);
  return frame;
}

}  // namespace

ReversibleBox reversible_box(const Problem& problem) {
  if (problem.cut.slabs.size() > 1) {
    throw Error(ErrorKind::parameter, text(option("history"), " is boundary for a domain that ranks cut"),
                "leave it out, or take one rank a shot");
  }
  const BoundarySpec& spec = problem.domain.boundary;
  const Grid& grid = problem.grid();
  const Regions regions = make_regions(grid.n, corrected_widths(spec, grid.radius));
  if (regions.inner.empty()) {
    const Extent3 model = spec.inner_box(grid.n).extent();
    throw Error(ErrorKind::parameter,
                text("no step is taken back by ", option("history"), " boundary: the model has ", model.x,
                     " x ", model.y, " x ", model.z, " points, of which a ", boundary_name(spec.kind),
                     " corrects ", layer_of(spec.kind).corrected_beside(grid.radius), " at each face"),
                text("leave out ", option("history"), ", or take a larger model"));
  }
  ReversibleBox points{regions.inner, frame_of(regions.inner, grid.n, grid.radius), {}};
  std::ranges::copy_if(regions.pml, std::back_inserter(points.rest),
                       [](const Box3& box) { return !box.empty(); });
  return points;
}

}  // namespace minimod
