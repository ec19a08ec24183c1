#include "src/solver/layer_corrections.hpp"

#include <algorithm>

namespace minimod {

namespace {

/// A layer of a CPML and where its ψ, and its ζ, lie.
struct PlacedLayer {
  int axis;
  CpmlLayer layer;
  FieldPlace memory;
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
  Box3& box = placed.memory.box;
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
  placed.memory.first = first;
  placed.memory.plane = placed.axis == 2 ? memory.along : memory.other;
}

/// Those of all faces. Where hardly any model is left between two, the one corrects up to the other.
std::vector<PlacedLayer> layers_of(const Grid& grid, const BoundarySpec& spec) {
  if (spec.kind != BoundaryKind::cpml) return {};
  const PmlWidths& w = spec.widths;
  const int widths[3][2] = {{w.left, w.right}, {w.front, w.back}, {w.top, w.bottom}};
  const char* const faces[3][2] = {{"left", "right"}, {"front", "back"}, {"top", "bottom"}};
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
      PlacedLayer& placed = layers.emplace_back(PlacedLayer{axis, both[side], {faces[axis][side], {}, {}}});
      place(placed, grid.n, first);
      first += placed.memory.size();
    }
  }
  return layers;
}

/// Points of the lines across a layer's axis.
std::int64_t lines_across(Extent3 n, int axis) {
  return axis == 0 ? std::int64_t{n.y} * n.z : axis == 1 ? std::int64_t{n.x} * n.z : std::int64_t{n.x} * n.y;
}

/// Layers whose corrections do not meet, in a pass.
template <class Pass>
bool fit(const Pass& pass, const PlacedLayer& next) {
  return pass.box.end.z == 1 && pass.axis == next.axis &&
         pass.layers[0].end_corrected <= next.layer.begin_corrected;
}

/// Calls work.operator()<Terms>() of what a CPML corrects of an equation.
template <class Work>
auto with_terms(Equation equation, const Work& work) {
  if (equation == Equation::density) return work.template operator()<CpmlOfDensity>();
  return work.template operator()<CpmlOfWave>();
}

/// Medium k of the density's terms across an axis, by its number among the field table's: b at the nodes,
/// half a spacing behind them.
std::size_t medium_of_terms(int k, int axis) {
  return k == 0 ? 1 : 2 + axis;
}

}  // namespace

LayerCorrections::LayerCorrections(Backend& backend, const Fields& fields, const Boundary& boundary)
    : backend_(backend), grid_(fields.grid()), spec_(boundary.spec) {
  with_real(grid_.precision, [&]<class Real>() {
    with_terms(fields.equation().equation, [&]<class Terms>() {
      const auto all = passes<CpmlPass<Real, Terms>>(fields);
      passes_.assign(all.begin(), all.end());
    });
  });
}

template <class Pass>
std::vector<Pass> LayerCorrections::passes(const Fields& fields) const {
  std::vector<Pass> all;
  const Extent3 n = grid_.n;
  for (const PlacedLayer& placed : layers_of(grid_, spec_)) {
    if (all.empty() || !fit(all.back(), placed)) {
      all.push_back(pass_across<Pass>(placed.axis, fields));
      all.back().box = {{0, 0, 0}, {placed.axis == 0 ? n.y : n.x, placed.axis == 2 ? n.y : n.z, 0}};
    }
    Pass& pass = all.back();
    pass.layers[pass.box.end.z++] = placed.layer;
  }
  return all;
}

template <class Pass>
Pass LayerCorrections::pass_across(int axis, const Fields& fields) const {
  using Real = typename Pass::Real;
  const DifferenceWeights weights = difference_weights(grid_.difference());
  const char* const names[3][2] = {{"a_x", "b_x"}, {"a_y", "b_y"}, {"a_z", "b_z"}};
  const double h = axis == 0 ? grid_.spacing.x : axis == 1 ? grid_.spacing.y : grid_.spacing.z;
  Pass pass;
  pass.axis = axis;
  pass.radius = grid_.radius;
  pass.centre = static_cast<Real>(weights.centre / (h * h));
  for (int m = 0; m < grid_.radius; ++m) {
    pass.first[m] = static_cast<Real>(weights.first[m] / h);
    pass.second[m] = static_cast<Real>(weights.second[m] / (h * h));
  }
  pass.a = fields.at(names[axis][0]).template of<Real>();
  pass.b = fields.at(names[axis][1]).template of<Real>();
  pass.psi = fields.at("psi").template of<Real>();
  pass.zeta = fields.at("zeta").template of<Real>();
  return pass;
}

std::vector<FieldPlace> LayerCorrections::memories(const Grid& grid, const BoundarySpec& spec) {
  std::vector<FieldPlace> memories;
  for (const PlacedLayer& placed : layers_of(grid, spec)) memories.push_back(placed.memory);
  return memories;
}

std::int64_t LayerCorrections::points(const Grid& grid, const BoundarySpec& spec) {
  std::int64_t points = 0;
  for (const auto& [axis, layer, memory] : layers_of(grid, spec)) {
    points += (layer.end_corrected - layer.begin_corrected) * lines_across(grid.n, axis);
  }
  if (spec.kind == BoundaryKind::sponge) points += make_regions(grid.n, spec.widths).pml_points();
  return points;
}

double LayerCorrections::bytes_moved(const Grid& grid, const BoundarySpec& spec, Equation equation) {
  const int media = with_terms(equation, []<class Terms>() { return Terms::media; });
  double values = 4 * static_cast<double>(points(grid, spec));
  for (const auto& [axis, layer, memory] : layers_of(grid, spec)) {
    values += (4 + media) * static_cast<double>((layer.end - layer.begin) * lines_across(grid.n, axis));
  }
  return values * static_cast<double>(facts_of(equation).wavefields.size() * bytes_of(grid.precision));
}

void LayerCorrections::absorb(const Fields& fields) {
  const RealsAt u = fields.at(FieldRole::state), u_next = fields.at(FieldRole::before);
  const Layout& layout = fields.grid().layout;
  for (CpmlWork work : passes_) {
    std::visit(
        [&]<class Real, class Terms>(CpmlPass<Real, Terms>& pass) {
          pass.layout = layout;
          pass.u = u.of<Real>();
          pass.u_next = u_next.of<Real>();
          pass.v2dt2 = fields.at(FieldRole::medium).template of<Real>();
          for (int k = 0; k < Terms::media; ++k)
            pass.media[k] = fields.at(FieldRole::medium, medium_of_terms(k, pass.axis)).template of<Real>();
        },
        work);
    backend_.field_kernels().correct(work);
  }
  if (spec_.kind != BoundaryKind::sponge) return;
  with_real(grid_.precision, [&]<class Real>() {
    const auto of = [&](const char* name) { return fields.at(name).template of<Real>(); };
    for (std::size_t i = 0; i < fields.equation().wavefields.size(); ++i) {
      const Taper<Real> taper{layout,
                              fields.at(FieldRole::state, i).template of<Real>(),
                              fields.at(FieldRole::before, i).template of<Real>(),
                              of("taper_x"),
                              of("taper_y"),
                              of("taper_z")};
      for (const Box3& box : make_regions(grid_.n, spec_.widths).pml)
        backend_.field_kernels().for_each_point(box, taper);
    }
  });
}

void LayerCorrections::close_surface(const Fields& fields, RealsAt u) const {
  if (!spec_.free_surface) return;
  with_real(u.precision, [&]<class Real>() {
    backend_.field_kernels().for_each_point({{0, 0, 0}, {grid_.n.x, grid_.n.y, 1}},
                                            OddImage<Real>{fields.grid().layout, u.of<Real>(), grid_.radius});
  });
}

}  // namespace minimod
