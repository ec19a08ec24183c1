#include "src/solver/layer_corrections.hpp"

#include <algorithm>

namespace minimod {

namespace {

/// The layers of a CPML across all axes, which overlap where faces meet, and where their memory lies.
struct CorrectedLayer {
  Box3 box;
  LayerCorrections::Memory memory;
};

std::vector<CorrectedLayer> layers_of(const Grid& grid, const BoundarySpec& spec) {
  if (spec.kind != BoundaryKind::cpml) return {};
  const Extent3 n = grid.n;
  const PmlWidths& w = spec.widths;
  constexpr int reach = stencil_radius;
  // Where hardly any model is left between two layers, the one reaches to the other.
  const auto low_end = [](int low, int high, int points) { return std::min(low + reach, points - high); };
  const auto high_begin = [](int low, int high, int points) { return std::max(points - high - reach, low); };
  const Box3 boxes[] = {{{0, 0, 0}, {low_end(w.left, w.right, n.x), n.y, n.z}},
                        {{high_begin(w.left, w.right, n.x), 0, 0}, {n.x, n.y, n.z}},
                        {{0, 0, 0}, {n.x, low_end(w.front, w.back, n.y), n.z}},
                        {{0, high_begin(w.front, w.back, n.y), 0}, {n.x, n.y, n.z}},
                        {{0, 0, 0}, {n.x, n.y, low_end(w.top, w.bottom, n.z)}},
                        {{0, 0, high_begin(w.top, w.bottom, n.z)}, {n.x, n.y, n.z}}};
  const int widths[] = {w.left, w.right, w.front, w.back, w.top, w.bottom};
  std::vector<CorrectedLayer> layers;
  std::int64_t first = 0;
  for (int face = 0; face < 6; ++face) {
    if (widths[face] == 0) continue;
    const int axis = face / 2;
    Box3 with_halo = boxes[face];
    int& begin = axis == 0 ? with_halo.begin.x : axis == 1 ? with_halo.begin.y : with_halo.begin.z;
    int& end = axis == 0 ? with_halo.end.x : axis == 1 ? with_halo.end.y : with_halo.end.z;
    begin -= reach;
    end += reach;
    layers.push_back({boxes[face], {face, with_halo, box_layout(with_halo, grid.layout, first)}});
    first += layers.back().memory.storage.size;
  }
  return layers;
}

std::vector<CpmlSlab> slabs_of(const Grid& grid, const BoundarySpec& spec) {
  std::vector<CpmlSlab> slabs;
  for (const CorrectedLayer& layer : layers_of(grid, spec)) {
    slabs.push_back({layer.box, layer.memory.face / 2, layer.memory.storage});
  }
  return slabs;
}

/// The work on a layer, for its axis.
template <template <int> class Work, class... Fields>
PointWork across_axis(const CpmlSlab& slab, const Fields&... fields) {
  switch (slab.axis) {
    case 0:
      return Work<0>{slab, fields...};
    case 1:
      return Work<1>{slab, fields...};
    default:
      return Work<2>{slab, fields...};
  }
}

std::int64_t memory_size(const std::vector<CpmlSlab>& slabs) {
  std::int64_t size = 0;
  for (const CpmlSlab& slab : slabs) size += slab.memory.size;
  return size;
}

}  // namespace

LayerCorrections::LayerCorrections(Backend& backend, const Grid& grid, const Boundary& boundary)
    : backend_(backend), grid_(grid), spec_(boundary.spec) {
  const auto upload = [&](const AxisProfile& profile) {
    return Axis{upload_as_float(backend, profile.cpml.a), upload_as_float(backend, profile.cpml.b),
                upload_as_float(backend, profile.taper)};
  };
  x_ = upload(boundary.x);
  y_ = upload(boundary.y);
  z_ = upload(boundary.z);
  make_slabs(boundary);
}

void LayerCorrections::make_slabs(const Boundary& boundary) {
  slabs_ = slabs_of(grid_, boundary.spec);
  if (slabs_.empty()) return;
  psi_ = DeviceArray<float>(backend_, memory_size(slabs_));
  zeta_ = DeviceArray<float>(backend_, memory_size(slabs_));
  using Second = SecondDifference<stencil_radius>;
  for (CpmlSlab& slab : slabs_) {
    const Axis& axis = slab.axis == 0 ? x_ : slab.axis == 1 ? y_ : z_;
    const double h = slab.axis == 0 ? grid_.spacing.x : slab.axis == 1 ? grid_.spacing.y : grid_.spacing.z;
    slab.centre = static_cast<float>(Second::centre / (h * h));
    for (int m = 0; m < stencil_radius; ++m) {
      slab.first[m] = static_cast<float>(first_difference[m] / h);
      slab.second[m] = static_cast<float>(Second::ring[m] / (h * h));
    }
    slab.a = axis.a.data();
    slab.b = axis.b.data();
    slab.psi = psi_.data();
    slab.zeta = zeta_.data();
  }
}

/// As the constructor makes them: a, b and taper of each axis, ψ and ζ.
std::vector<std::size_t> LayerCorrections::allocations(const Grid& grid, const BoundarySpec& spec) {
  std::vector<std::size_t> bytes;
  for (const int n : {grid.n.x, grid.n.y, grid.n.z}) {
    const std::size_t recursion = spec.kind == BoundaryKind::cpml ? n : 0;
    const std::size_t taper = spec.kind == BoundaryKind::sponge ? n : 0;
    for (const std::size_t size : {recursion, recursion, taper}) bytes.push_back(size * sizeof(float));
  }
  const auto memory = memory_size(slabs_of(grid, spec));
  if (memory > 0) bytes.insert(bytes.end(), 2, memory * sizeof(float));
  return bytes;
}

std::vector<LayerCorrections::Memory> LayerCorrections::memories(const Grid& grid, const BoundarySpec& spec) {
  std::vector<Memory> memories;
  for (const CorrectedLayer& layer : layers_of(grid, spec)) memories.push_back(layer.memory);
  return memories;
}

std::vector<FieldPart> LayerCorrections::state() const {
  if (psi_.size() == 0) return {};
  return {{"psi", psi_.data(), psi_.size() * sizeof(float)},
          {"zeta", zeta_.data(), zeta_.size() * sizeof(float)}};
}

std::int64_t LayerCorrections::points(const Grid& grid, const BoundarySpec& spec) {
  std::int64_t points = 0;
  for (const CpmlSlab& slab : slabs_of(grid, spec)) points += slab.box.points();
  if (spec.kind == BoundaryKind::sponge) points += make_regions(grid.n, spec.widths).pml_points();
  return points;
}

double LayerCorrections::bytes_moved(const Grid& grid, const BoundarySpec& spec) {
  const double bytes_per_point = spec.kind == BoundaryKind::cpml ? 40 : 16;
  return bytes_per_point * static_cast<double>(points(grid, spec));
}

void LayerCorrections::reset() {
  for (const auto* memory : {&psi_, &zeta_}) {
    if (memory->size() > 0) backend_.clear(memory->data(), memory->size() * sizeof(float));
  }
}

void LayerCorrections::absorb(float* u, float* u_next, const float* v2dt2) {
  const Layout& at = grid_.layout;
  for (const CpmlSlab& slab : slabs_) {
    backend_.for_each_point(slab.box, across_axis<CpmlMemoryUpdate>(slab, at, u));
  }
  for (const CpmlSlab& slab : slabs_) {
    backend_.for_each_point(slab.box, across_axis<CpmlCorrection>(slab, at, u, u_next, v2dt2));
  }
  if (spec_.kind != BoundaryKind::sponge) return;
  const Taper taper{at, u, u_next, x_.taper.data(), y_.taper.data(), z_.taper.data()};
  for (const Box3& box : make_regions(grid_.n, spec_.widths).pml) backend_.for_each_point(box, taper);
}

void LayerCorrections::close_surface(float* u) {
  if (!spec_.free_surface) return;
  backend_.for_each_point({{0, 0, 0}, {grid_.n.x, grid_.n.y, 1}}, OddImage{grid_.layout, u});
}

}  // namespace minimod
