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
template <class Real>
bool fit(const CpmlPass<Real>& pass, const PlacedLayer& next) {
  return pass.box.end.z == 1 && pass.axis == next.axis &&
         pass.layers[0].end_corrected <= next.layer.begin_corrected;
}

}  // namespace

LayerCorrections::LayerCorrections(Backend& backend, const Grid& grid, const Boundary& boundary)
    : backend_(backend), grid_(grid), spec_(boundary.spec) {
  const auto upload = [&](const AxisProfile& profile) {
    const auto rounded = [&](const std::vector<double>& values) {
      return DeviceReals(backend, values, grid.precision);
    };
    return Axis{rounded(profile.cpml.a), rounded(profile.cpml.b), rounded(profile.taper)};
  };
  x_ = upload(boundary.x);
  y_ = upload(boundary.y);
  z_ = upload(boundary.z);
  make_passes();
}

void LayerCorrections::make_passes() {
  const std::int64_t size = memory_size(layers_of(grid_, spec_));
  if (size == 0) return;
  psi_ = DeviceReals(backend_, size, grid_.precision);
  zeta_ = DeviceReals(backend_, size, grid_.precision);
  with_real(grid_.precision, [&]<class Real>() {
    const std::vector<CpmlPass<Real>> all = passes<Real>();
    passes_.assign(all.begin(), all.end());
  });
}

template <class Real>
std::vector<CpmlPass<Real>> LayerCorrections::passes() const {
  std::vector<CpmlPass<Real>> all;
  const Extent3 n = grid_.n;
  for (const PlacedLayer& placed : layers_of(grid_, spec_)) {
    if (all.empty() || !fit(all.back(), placed)) {
      all.push_back(pass_across<Real>(placed.axis));
      all.back().box = {{0, 0, 0}, {placed.axis == 0 ? n.y : n.x, placed.axis == 2 ? n.y : n.z, 0}};
    }
    CpmlPass<Real>& pass = all.back();
    pass.layers[pass.box.end.z++] = placed.layer;
  }
  return all;
}

template <class Real>
CpmlPass<Real> LayerCorrections::pass_across(int axis) const {
  const DifferenceWeights weights = difference_weights(grid_.difference());
  const Axis& profile = axis == 0 ? x_ : axis == 1 ? y_ : z_;
  const double h = axis == 0 ? grid_.spacing.x : axis == 1 ? grid_.spacing.y : grid_.spacing.z;
  CpmlPass<Real> pass;
  pass.axis = axis;
  pass.layout = grid_.layout;
  pass.radius = grid_.radius;
  pass.centre = static_cast<Real>(weights.centre / (h * h));
  for (int m = 0; m < grid_.radius; ++m) {
    pass.first[m] = static_cast<Real>(weights.first[m] / h);
    pass.second[m] = static_cast<Real>(weights.second[m] / (h * h));
  }
  pass.a = profile.a.at().of<Real>();
  pass.b = profile.b.at().of<Real>();
  pass.psi = psi_.at().of<Real>();
  pass.zeta = zeta_.at().of<Real>();
  return pass;
}

/// As the constructor makes them: a, b and taper of each axis, ψ and ζ.
std::vector<std::size_t> LayerCorrections::allocations(const Grid& grid, const BoundarySpec& spec) {
  std::vector<std::size_t> bytes;
  for (const int n : {grid.n.x, grid.n.y, grid.n.z}) {
    const std::size_t recursion = spec.kind == BoundaryKind::cpml ? n : 0;
    const std::size_t taper = spec.kind == BoundaryKind::sponge ? n : 0;
    for (const std::size_t size : {recursion, recursion, taper}) {
      bytes.push_back(size * bytes_of(grid.precision));
    }
  }
  const auto memory = memory_size(layers_of(grid, spec));
  if (memory > 0) bytes.insert(bytes.end(), 2, memory * bytes_of(grid.precision));
  return bytes;
}

std::vector<LayerCorrections::Memory> LayerCorrections::memories(const Grid& grid, const BoundarySpec& spec) {
  std::vector<Memory> memories;
  for (const PlacedLayer& placed : layers_of(grid, spec)) memories.push_back(placed.memory);
  return memories;
}

std::vector<FieldPart> LayerCorrections::state() const {
  if (psi_.size() == 0) return {};
  return {{"psi", psi_.at(), psi_.size()}, {"zeta", zeta_.at(), zeta_.size()}};
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
  double values = 4 * static_cast<double>(points(grid, spec));
  for (const auto& [axis, layer, memory] : layers_of(grid, spec)) {
    values += 4 * static_cast<double>((layer.end - layer.begin) * lines_across(grid.n, axis));
  }
  return values * static_cast<double>(bytes_of(grid.precision));
}

void LayerCorrections::reset() {
  for (const auto* memory : {&psi_, &zeta_}) {
    if (memory->size() > 0) backend_.clear(memory->data(), memory->bytes());
  }
}

void LayerCorrections::absorb(RealsAt u, RealsAt u_next, RealsAt v2dt2) {
  for (CpmlWork work : passes_) {
    std::visit(
        [&]<class Real>(CpmlPass<Real>& pass) {
          pass.u = u.of<Real>();
          pass.u_next = u_next.of<Real>();
          pass.v2dt2 = v2dt2.of<Real>();
        },
        work);
    backend_.correct(work);
  }
  if (spec_.kind != BoundaryKind::sponge) return;
  with_real(grid_.precision, [&]<class Real>() {
    const auto of = [](const DeviceReals& values) { return values.at().of<Real>(); };
    const Taper<Real> taper{grid_.layout, u.of<Real>(), u_next.of<Real>(),
                            of(x_.taper), of(y_.taper), of(z_.taper)};
    for (const Box3& box : make_regions(grid_.n, spec_.widths).pml) backend_.for_each_point(box, taper);
  });
}

void LayerCorrections::close_surface(RealsAt u) {
  if (!spec_.free_surface) return;
  with_real(u.precision, [&]<class Real>() {
    backend_.for_each_point({{0, 0, 0}, {grid_.n.x, grid_.n.y, 1}},
                            OddImage<Real>{grid_.layout, u.of<Real>(), grid_.radius});
  });
}

}  // namespace minimod
