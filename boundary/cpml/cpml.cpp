#include "boundary/cpml/cpml.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "boundary/layer.hpp"
#include "boundary/plane_wave.hpp"

namespace minimod {

CpmlProfile make_cpml_profile(int points, int low, int high, double spacing, double velocity,
                              double frequency, double dt) {
  constexpr double reflection = 1e-5;  // reflection of a plane wave at normal incidence, by the profile alone
  CpmlProfile profile{std::vector<double>(points), std::vector<double>(points)};
  const auto set = [&](int i, double depth, int width) {
    const double greatest = -1.5 * velocity * std::log(reflection) / (width * spacing);
    const double d = greatest * depth * depth, alpha = std::numbers::pi * frequency * (1 - depth);
    if (d <= 0) return;
    profile.b[i] = std::exp(-(d + alpha) * dt);
    profile.a[i] = d / (d + alpha) * (profile.b[i] - 1);
  };
  for (int m = 0; m < low; ++m) set(low - 1 - m, (m + 0.5) / low, low);
  for (int m = 0; m < high; ++m) set(points - high + m, (m + 0.5) / high, high);
  return profile;
}

namespace {

constexpr MeasuredReflection cpml_reflections[] = {
#include "boundary/cpml/cpml_reflection.inc"
};

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

/// Points of a domain from `begin` to `end` of an axis.
Box3 box_along(Extent3 n, int axis, int begin, int end) {
  Box3 box{{0, 0, 0}, {n.x, n.y, n.z}};
  (axis == 0 ? box.begin.x : axis == 1 ? box.begin.y : box.begin.z) = begin;
  (axis == 0 ? box.end.x : axis == 1 ? box.end.y : box.end.z) = end;
  return box;
}

/// Puts ψ of a layer behind `first` values: its planes one behind the other, in them lines abreast side by
/// side.
void place(PlacedLayer& placed, Extent3 n, std::int64_t first) {
  CpmlLayer& layer = placed.layer;
  const std::int64_t width = layer.end - layer.begin, row = row_of(placed.axis == 0 ? n.y : n.x);
  LineLayout& memory = layer.memory;
  memory.abreast = 1;
  memory.along = placed.axis == 2 ? row * n.y : row;
  memory.other = placed.axis == 2 ? row : row * width;
  memory.origin = first - layer.begin * memory.along;
  placed.memory.box = box_along(n, placed.axis, layer.begin, layer.end);
  placed.memory.first = first;
  placed.memory.plane = placed.axis == 2 ? memory.along : memory.other;
}

/// Layers of all faces. Where hardly any model is left between two, the one corrects up to the other.
std::vector<PlacedLayer> layers_of(const Grid& grid, const BoundarySpec& spec) {
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

/// Across an axis, without layers.
template <class Pass>
Pass pass_across(int axis, const LayerFields& fields) {
  using Real = typename Pass::Real;
  const Grid& grid = fields.grid;
  const DifferenceWeights weights = difference_weights(grid.difference());
  const char* const names[3][2] = {{"a_x", "b_x"}, {"a_y", "b_y"}, {"a_z", "b_z"}};
  const double h = axis == 0 ? grid.spacing.x : axis == 1 ? grid.spacing.y : grid.spacing.z;
  Pass pass;
  pass.box = {{0, 0, 0}, {axis == 0 ? grid.n.y : grid.n.x, axis == 2 ? grid.n.y : grid.n.z, 0}};
  pass.axis = axis;
  pass.layout = grid.layout;
  pass.radius = grid.radius;
  pass.centre = static_cast<Real>(weights.centre / (h * h));
  for (int m = 0; m < grid.radius; ++m) {
    pass.first[m] = static_cast<Real>(weights.first[m] / h);
    pass.second[m] = static_cast<Real>(weights.second[m] / (h * h));
  }
  pass.a = fields.own(names[axis][0]).template of<Real>();
  pass.b = fields.own(names[axis][1]).template of<Real>();
  pass.psi = fields.own("psi").template of<Real>();
  pass.zeta = fields.own("zeta").template of<Real>();
  pass.u = fields.u[0].template of<Real>();
  pass.u_next = fields.u_next[0].template of<Real>();
  pass.v2dt2 = fields.media[0].template of<Real>();
  for (int k = 0; k < Pass::Terms::media; ++k)
    pass.media[k] = fields.media[medium_of_terms(k, axis)].template of<Real>();
  return pass;
}

template <class Pass>
void add_passes(std::vector<LayerWork>& all, const LayerFields& fields) {
  std::vector<Pass> passes;
  for (const PlacedLayer& placed : layers_of(fields.grid, fields.spec)) {
    if (passes.empty() || !fit(passes.back(), placed))
      passes.push_back(pass_across<Pass>(placed.axis, fields));
    Pass& pass = passes.back();
    pass.layers[pass.box.end.z++] = placed.layer;
  }
  for (const Pass& pass : passes) all.emplace_back(CpmlWork(pass));
}

/// The parts that the layer and its transpose share.
template <class Layer>
class Convolutional : public Layer {
 public:
  [[nodiscard]] std::vector<std::string> profiles() const override { return {"a", "b"}; }
  [[nodiscard]] std::vector<std::vector<double>> values(const BoundarySpec& spec, const PmlAxis& axis,
                                                        double dt) const override {
    CpmlProfile profile =
        make_cpml_profile(axis.points, axis.low, axis.high, axis.spacing, spec.velocity, spec.frequency, dt);
    return {std::move(profile.a), std::move(profile.b)};
  }
  [[nodiscard]] std::vector<std::string> memories() const override { return {"psi", "zeta"}; }
  [[nodiscard]] std::int64_t points(const Grid& grid, const BoundarySpec& spec) const override {
    std::int64_t points = 0;
    for (const auto& [axis, layer, memory] : layers_of(grid, spec)) {
      points += (layer.end_corrected - layer.begin_corrected) * lines_across(grid.n, axis);
    }
    return points;
  }
};

/// Places of the transposed memories, x fastest, with zeros beside them.
std::vector<FieldPlace> adjoint_places(const Grid& grid, const BoundarySpec& spec) {
  std::vector<FieldPlace> places;
  std::int64_t first = 0;
  for (const PlacedLayer& placed : layers_of(grid, spec)) {
    FieldPlace place = placed.memory;
    place.box =
        box_along(grid.n, placed.axis, placed.layer.begin_u - grid.radius, placed.layer.end_u + grid.radius);
    const Extent3 n = place.box.extent();
    const Index3 begin = place.box.begin;
    place.at.stride_y = row_of(n.x);
    place.at.stride_z = place.plane = place.at.stride_y * n.y;
    place.first = first;
    place.at.origin = first - begin.x - begin.y * place.at.stride_y - begin.z * place.at.stride_z;
    first += place.size();
    places.push_back(place);
  }
  return places;
}

/// Calls run.operator()<Radius>() with the radius where it is the usual one, else with any.
template <class Run>
void with_radius(int radius, const Run& run) {
  radius == stencil_radius ? run.template operator()<stencil_radius>()
                           : run.template operator()<any_radius>();
}

/// The transposed layer (cpml_adjoint.hpp), of waves of constant density.
class ConvolutionalAdjoint final : public Convolutional<LayerOperator> {
 public:
  [[nodiscard]] std::vector<FieldPlace> places(const Grid& grid, const BoundarySpec& spec) const override {
    return adjoint_places(grid, spec);
  }
  [[nodiscard]] std::vector<LayerWork> work(const LayerFields& fields) const override {
    std::vector<LayerWork> all;
    const std::vector<PlacedLayer> layers = layers_of(fields.grid, fields.spec);
    const std::vector<FieldPlace> places = adjoint_places(fields.grid, fields.spec);
    with_real(fields.grid.precision, [&]<class Real>() {
      with_radius(fields.grid.radius, [&]<int Radius>() {
        for (std::size_t i = 0; i < layers.size(); ++i)
          add<Real, Radius>(all, fields, layers[i], places[i].at);
      });
    });
    return all;
  }

 private:
  template <class Real, int Radius>
  static void add(std::vector<LayerWork>& all, const LayerFields& fields, const PlacedLayer& placed,
                  const Layout& memory) {
    const auto own = adjoint_layer<Real, Radius>(fields, placed, memory);
    const CpmlLayer& layer = placed.layer;
    const auto box = [&](int begin, int end) { return box_along(fields.grid.n, placed.axis, begin, end); };
    const Box3 inside = box(layer.begin, layer.end), next = box(layer.begin_u, layer.end_u);
    const bool meets_all = layer.end_u - layer.begin_u == layer.end_corrected - layer.begin_corrected;
    CpmlAdjointWork work;
    work.points.push_back({inside, CpmlAdjointZeta<Real, Radius>{own}});
    if (meets_all) {
      work.points.push_back({inside, CpmlAdjointPsi<Real, Radius, false>{own}});
    } else {
      work.points.push_back({inside, CpmlAdjointPsi<Real, Radius, true>{own}});
    }
    work.points.push_back({next, CpmlAdjointTerms<Real, Radius>{own}});
    if constexpr (is_common_stencil<Real, Radius>) {
      const Box3 lines = pass_across<CpmlPass<Real>>(placed.axis, fields).box;
      if (meets_all) work.face = {{own}, lines, layer.begin, layer.end, layer.begin_u, layer.end_u};
    }
    all.emplace_back(std::move(work));
  }

  template <class Real, int Radius>
  static CpmlAdjointLayer<Real, Radius> adjoint_layer(const LayerFields& fields, const PlacedLayer& placed,
                                                      const Layout& memory) {
    const auto pass = pass_across<CpmlPass<Real>>(placed.axis, fields);
    CpmlAdjointLayer<Real, Radius> own;
    own.layout = pass.layout;
    own.memory = memory;
    own.along = lines_along(placed.axis, pass.layout).along;
    own.along_memory = lines_along(placed.axis, memory).along;
    own.axis = placed.axis;
    own.radius = pass.radius;
    own.begin_corrected = placed.layer.begin_corrected;
    own.end_corrected = placed.layer.end_corrected;
    std::ranges::copy(pass.first, own.first);
    std::ranges::copy(pass.second, own.second);
    own.centre = pass.centre;
    own.a = pass.a;
    own.b = pass.b;
    own.psi = pass.psi;
    own.zeta = pass.zeta;
    own.p = pass.u;
    own.v2dt2 = pass.v2dt2;
    own.p_next = pass.u_next;
    return own;
  }
};

class ConvolutionalLayer final : public Convolutional<AbsorbingLayer> {
 public:
  /// Places of all layers, each by its face's name.
  [[nodiscard]] std::vector<FieldPlace> places(const Grid& grid, const BoundarySpec& spec) const override {
    std::vector<FieldPlace> places;
    for (const PlacedLayer& placed : layers_of(grid, spec)) places.push_back(placed.memory);
    return places;
  }
  [[nodiscard]] const LayerOperator* adjoint() const override {
    static const ConvolutionalAdjoint layer;
    return &layer;
  }

  [[nodiscard]] std::vector<LayerWork> work(const LayerFields& fields) const override {
    std::vector<LayerWork> all;
    with_real(fields.grid.precision, [&]<class Real>() {
      with_terms(fields.equation, [&]<class Terms>() { add_passes<CpmlPass<Real, Terms>>(all, fields); });
    });
    return all;
  }
  /// ψ and ζ are read and written in its layers. Passes behind the launches move u, u⁺, V² and the media of
  /// the terms once more, which a launch that makes the terms itself does not.
  [[nodiscard]] double values_moved(const Grid& grid, const BoundarySpec& spec) const override {
    double values = 0;
    for (const auto& [axis, layer, memory] : layers_of(grid, spec)) {
      values += 4 * static_cast<double>((layer.end - layer.begin) * lines_across(grid.n, axis));
    }
    return values;
  }

  [[nodiscard]] int corrected_beside(int radius) const override { return radius; }
  [[nodiscard]] std::span<const MeasuredReflection> measured() const override { return cpml_reflections; }
  [[nodiscard]] int reach(int radius) const override { return 2 * radius; }
  [[nodiscard]] Complex over_time(const PlaneWaveRows& rows, int /*m*/) const override {
    return -rows.scale * rows.square;
  }
  /// ∂ψ + ζ.
  void add_to(PlaneWaveRows& rows, int node) const override {
    const int radius = rows.layer.difference.radius;
    const Complex own = node < rows.inner ? Complex() : memory(rows, node);
    for (int m = -radius; m <= radius; ++m) {
      const int met = node + m;
      if (m == 0 || met < rows.inner || met >= rows.size) continue;
      const double weight = (m > 0 ? 1 : -1) * rows.weights.first[std::abs(m) - 1] / rows.layer.spacing;
      rows.add_slope(node, met, times(rows.scale * weight * (1.0 + own), memory(rows, met)));
    }
    rows.add_curvature(node, node, rows.scale * own);
  }

 private:
  /// ψ and ζ over what they met.
  [[nodiscard]] static Complex memory(const PlaneWaveRows& rows, int node) {
    const int m = node - rows.inner;
    return rows.layer.own[0][m] * inverse(1.0 - rows.layer.own[1][m] * std::conj(rows.z));
  }
};

}  // namespace

const AbsorbingLayer& cpml_layer() {
  static const ConvolutionalLayer layer;
  return layer;
}

}  // namespace minimod
