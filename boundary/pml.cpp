/// The PML of the Minimod form: its formula is that of launches (kernels/update.hpp), η and φ are theirs.
#include <algorithm>

#include "boundary/layer.hpp"
#include "boundary/plane_wave.hpp"

namespace minimod {

namespace {

constexpr MeasuredReflection pml_reflections[] = {
#include "boundary/pml_reflection.inc"
};

/// The transposed layer: μ of the whole grid, which is zero outside of the layer, so that its neighbours need
/// no other storage's.
class PmlAdjoint final : public LayerOperator {
 public:
  [[nodiscard]] std::vector<std::string> profiles() const override { return {"damping", "slope"}; }
  [[nodiscard]] std::vector<std::vector<double>> values(const BoundarySpec& spec, const PmlAxis& axis,
                                                        double dt) const override {
    const std::vector<double> eta = make_pml_profile(axis, spec.velocity, dt);
    std::vector<double> slope(static_cast<std::size_t>(axis.points));
    for (std::size_t i = 0; i < slope.size(); ++i)
      slope[i] = (eta[i + 2] - eta[i]) / (4 * axis.spacing * axis.spacing);
    return {{eta.begin() + 1, eta.end() - 1}, slope};
  }
  [[nodiscard]] std::vector<std::string> memories() const override { return {"mu"}; }
  [[nodiscard]] bool writes_memories_apart() const override { return true; }
  [[nodiscard]] std::vector<FieldPlace> places(const Grid& grid,
                                               const BoundarySpec& /*spec*/) const override {
    const Layout rows = memory_of(grid);
    return {{"grid", {{0, 0, 0}, {grid.n.x, grid.n.y, grid.n.z}}, rows, 0, rows.stride_z, 0}};
  }

  [[nodiscard]] std::vector<LayerWork> work_before(const LayerFields& fields) const override {
    return with_real(fields.grid.precision, [&]<class Real>() {
      const Grid& grid = fields.grid;
      const PmlAdjointPoint<Real> point{profiles_at<Real>(fields),
                                        grid.layout,
                                        memory_of(grid),
                                        grid.n,
                                        regions(fields, 0).inner,
                                        static_cast<Real>(fields.spec.alpha.value()),
                                        fields.u[0].template of<Real>(),
                                        fields.media[0].template of<Real>(),
                                        fields.own("mu").template of<Real>(),
                                        fields.own("mu_next").template of<Real>(),
                                        fields.u_next[0].template of<Real>()};
      std::vector<LayerWork> all;
      for (const Box3& box : regions(fields, 1).pml) all.emplace_back(PointsOfBox{box, point});
      return all;
    });
  }
  [[nodiscard]] std::int64_t points(const Grid& grid, const BoundarySpec& spec) const override {
    return points_of_layer(grid, spec);
  }

 private:
  static Layout memory_of(const Grid& grid) { return {0, grid.n.x, std::int64_t{grid.n.x} * grid.n.y}; }
  /// Regions of the layer with so many points around it.
  static Regions regions(const LayerFields& fields, int beside) {
    const Extent3 n = fields.grid.n;
    PmlWidths w = fields.spec.widths;
    const auto widen = [&](int& low, int& high, int points) {
      if (low > 0) low = std::min(low + beside, points - high);
      if (high > 0) high = std::min(high + beside, points - low);
    };
    widen(w.left, w.right, n.x);
    widen(w.front, w.back, n.y);
    widen(w.top, w.bottom, n.z);
    return make_regions(n, w);
  }
  template <class Real>
  static PmlProfiles<Real> profiles_at(const LayerFields& fields) {
    const auto of = [&](const char* name) { return fields.own(name).template of<Real>(); };
    return {{of("damping_x"), of("damping_y"), of("damping_z")},
            {of("slope_x"), of("slope_y"), of("slope_z")}};
  }
};

class PmlLayer final : public AbsorbingLayer {
 public:
  [[nodiscard]] std::span<const MeasuredReflection> measured() const override { return pml_reflections; }
  [[nodiscard]] Complex over_time(const PlaneWaveRows& rows, int m) const override {
    const double eta = rows.layer.eta[m + 1];
    return (1 + 2 * eta) * rows.z - (2 - eta * eta + 2 * eta) + std::conj(rows.z);
  }
  [[nodiscard]] const LayerOperator* adjoint() const override {
    static const PmlAdjoint layer;
    return &layer;
  }
  [[nodiscard]] std::vector<PointsOfBox> drive(const LayerFields& fields, const StepFields& step,
                                               const DriveField& drive) const override {
    return drives(fields, step, drive, [&]<class Real>(const DrivePoint<Real>& point) {
      const auto of = [&](const char* name) { return fields.own(name).template of<Real>(); };
      return PmlDrive<Real>{point, {of("eta_x"), of("eta_y"), of("eta_z")}};
    });
  }
  /// φ.
  void add_to(PlaneWaveRows& rows, int node) const override {
    if (node < rows.inner) return;
    const LayerLine& layer = rows.layer;
    const double* eta = &layer.eta[node - rows.inner + 1];
    const Complex memory = (1 + eta[0] + layer.alpha) * rows.z - 1.0;
    const Complex factor =
        -rows.scale * (eta[1] - eta[-1]) / (4 * layer.spacing * layer.spacing) * inverse(memory);
    rows.add(node, node + 1, factor);
    rows.add(node, node - 1, -factor);
  }
};

}  // namespace

const AbsorbingLayer& pml_layer() {
  static const PmlLayer layer;
  return layer;
}

}  // namespace minimod
