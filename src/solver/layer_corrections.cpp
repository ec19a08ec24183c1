#include "src/solver/layer_corrections.hpp"

#include <algorithm>

namespace minimod {

namespace {

/// A layer of a CPML and where its ψ, and its ζ, lie.
struct PlacedLayer {
  int axis;
  CpmlLayer layer;
  LayerCorrections::Memory memory;
};

/// Rows of ψ begin on lines of 32 B.
std::int64_t row_of(int values) {
  constexpr int sector = 8;
  return std::int64_t{(values + sector - 1) / sector} * sector;
}

/// Puts ψ of a layer behind `first` values: its planes one behind the other, in them lines abreast side by
/// side.
void place(PlacedLayer& placed, Extent3 n, std::int64_t first) {
  CpmlLayer& layer = placed.layer;
  auto& [face, box, at, plane] = placed.memory;
  const std::int64_t width = layer.end - layer.begin, row = row_of(placed.axis == 0 ? n.y : n.x);
  LineLayout& memory = layer.memory;
  memory.abreast = 1;
  memory.along = placed.axis == 2 ? row * n.y : row;
  memory.other = placed.axis == 2 ? row : row * width;
  memory.origin = first - layer.begin * memory.along;
  box = {{0, 0, 0}, {n.x, n.y, n.z}};
  int& begin = placed.axis == 0 ? box.begin.x : placed.axis == 1 ? box.begin.y : box.begin.z;
  int& end = placed.axis == 0 ? box.end.x : placed.axis == 1 ? box.end.y : box.end.z;
  begin = layer.begin;
  end = layer.end;
  at = first;
  plane = placed.axis == 2 ? memory.along : memory.other;
}

/// Those of all faces. Where hardly any model is left between two, the one corrects up to the other.
std::vector<PlacedLayer> layers_of(const Grid& grid, const BoundarySpec& spec) {
  if (spec.kind != BoundaryKind::cpml) return {};
  const PmlWidths& w = spec.widths;
  const int widths[3][2] = {{w.left, w.right}, {w.front, w.back}, {w.top, w.bottom}};
  const int points[] = {grid.n.x, grid.n.y, grid.n.z};
  const int reach = grid.radius;
  std::vector<PlacedLayer> layers;
  std::int64_t first = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto [low, high] = widths[axis];
    const int n = points[axis];
    const CpmlLayer both[] = {{0, low, 0, std::min(low + reach, n - high), 0, low + reach, {}},
                              {n - high, n, std::max(n - high - reach, low), n, n - high - reach, n, {}}};
    for (int side = 0; side < 2; ++side) {
      if (widths[axis][side] == 0) continue;
      PlacedLayer& placed = layers.emplace_back(PlacedLayer{axis, both[side], {2 * axis + side, {}, 0, 0}});
      place(placed, grid.n, first);
      first += placed.memory.size();
    }
  }
  return layers;
}

std::int64_t memory_size(const std::vector<PlacedLayer>& layers) {
  return layers.empty() ? 0 : layers.back().memory.first + layers.back().memory.size();
}

/// Points of the lines across a layer's axis.
std::int64_t lines_across(Extent3 n, int axis) {
  return axis == 0 ? std::int64_t{n.y} * n.z : axis == 1 ? std::int64_t{n.x} * n.z : std::int64_t{n.x} * n.y;
}

/// Layers whose corrections do not meet, in a pass.
bool fit(const CpmlPass& pass, const PlacedLayer& next) {
  return pass.box.end.z == 1 && pass.axis == next.axis &&
         pass.layers[0].end_corrected <= next.layer.begin_corrected;
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
  make_passes();
}

void LayerCorrections::make_passes() {
  const std::vector<PlacedLayer> layers = layers_of(grid_, spec_);
  if (layers.empty()) return;
  psi_ = DeviceArray<float>(backend_, memory_size(layers));
  zeta_ = DeviceArray<float>(backend_, memory_size(layers));
  const Extent3 n = grid_.n;
  for (const PlacedLayer& placed : layers) {
    if (passes_.empty() || !fit(passes_.back(), placed)) {
      passes_.push_back(pass_across(placed.axis));
      passes_.back().box = {{0, 0, 0}, {placed.axis == 0 ? n.y : n.x, placed.axis == 2 ? n.y : n.z, 0}};
    }
    CpmlPass& pass = passes_.back();
    pass.layers[pass.box.end.z++] = placed.layer;
  }
}

CpmlPass LayerCorrections::pass_across(int axis) const {
  const DifferenceWeights weights = difference_weights(grid_.radius);
  const Axis& profile = axis == 0 ? x_ : axis == 1 ? y_ : z_;
  const double h = axis == 0 ? grid_.spacing.x : axis == 1 ? grid_.spacing.y : grid_.spacing.z;
  CpmlPass pass;
  pass.axis = axis;
  pass.layout = grid_.layout;
  pass.radius = grid_.radius;
  pass.centre = static_cast<float>(weights.centre / (h * h));
  for (int m = 0; m < grid_.radius; ++m) {
    pass.first[m] = static_cast<float>(weights.first[m] / h);
    pass.second[m] = static_cast<float>(weights.second[m] / (h * h));
  }
  pass.a = profile.a.data();
  pass.b = profile.b.data();
  pass.psi = psi_.data();
  pass.zeta = zeta_.data();
  return pass;
}

/// As the constructor makes them: a, b and taper of each axis, ψ and ζ.
std::vector<std::size_t> LayerCorrections::allocations(const Grid& grid, const BoundarySpec& spec) {
  std::vector<std::size_t> bytes;
  for (const int n : {grid.n.x, grid.n.y, grid.n.z}) {
    const std::size_t recursion = spec.kind == BoundaryKind::cpml ? n : 0;
    const std::size_t taper = spec.kind == BoundaryKind::sponge ? n : 0;
    for (const std::size_t size : {recursion, recursion, taper}) bytes.push_back(size * sizeof(float));
  }
  const auto memory = memory_size(layers_of(grid, spec));
  if (memory > 0) bytes.insert(bytes.end(), 2, memory * sizeof(float));
  return bytes;
}

std::vector<LayerCorrections::Memory> LayerCorrections::memories(const Grid& grid, const BoundarySpec& spec) {
  std::vector<Memory> memories;
  for (const PlacedLayer& placed : layers_of(grid, spec)) memories.push_back(placed.memory);
  return memories;
}

std::vector<FieldPart> LayerCorrections::state() const {
  if (psi_.size() == 0) return {};
  return {{"psi", psi_.data(), psi_.size() * sizeof(float)},
          {"zeta", zeta_.data(), zeta_.size() * sizeof(float)}};
}

std::int64_t LayerCorrections::points(const Grid& grid, const BoundarySpec& spec) {
  std::int64_t points = 0;
  for (const auto& [axis, layer, memory] : layers_of(grid, spec)) {
    points += (layer.end_corrected - layer.begin_corrected) * lines_across(grid.n, axis);
  }
  if (spec.kind == BoundaryKind::sponge) points += make_regions(grid.n, spec.widths).pml_points();
  return points;
}

double LayerCorrections::bytes_moved(const Grid& grid, const BoundarySpec& spec) {
  double bytes = 16 * static_cast<double>(points(grid, spec));
  for (const auto& [axis, layer, memory] : layers_of(grid, spec)) {
    bytes += 16 * static_cast<double>((layer.end - layer.begin) * lines_across(grid.n, axis));
  }
  return bytes;
}

void LayerCorrections::reset() {
  for (const auto* memory : {&psi_, &zeta_}) {
    if (memory->size() > 0) backend_.clear(memory->data(), memory->size() * sizeof(float));
  }
}

void LayerCorrections::absorb(float* u, float* u_next, const float* v2dt2) {
  for (CpmlPass pass : passes_) {
    pass.u = u;
    pass.u_next = u_next;
    pass.v2dt2 = v2dt2;
    backend_.correct(pass);
  }
  if (spec_.kind != BoundaryKind::sponge) return;
  const Taper taper{grid_.layout, u, u_next, x_.taper.data(), y_.taper.data(), z_.taper.data()};
  for (const Box3& box : make_regions(grid_.n, spec_.widths).pml) backend_.for_each_point(box, taper);
}

void LayerCorrections::close_surface(float* u) {
  if (!spec_.free_surface) return;
  backend_.for_each_point({{0, 0, 0}, {grid_.n.x, grid_.n.y, 1}}, OddImage{grid_.layout, u, grid_.radius});
}

}  // namespace minimod
