#include "boundary/sponge.hpp"

#include <cmath>

#include "boundary/layer.hpp"
#include "boundary/plane_wave.hpp"

namespace minimod {

std::vector<double> make_taper(int points, int low, int high) {
  constexpr double strength = 0.015 * 20;
  std::vector<double> taper(points, 1);
  const auto factor = [](int m, int width) { return std::exp(-std::pow(strength * m / width, 2)); };
  for (int m = 1; m <= low; ++m) taper[low - m] = factor(m, low);
  for (int m = 1; m <= high; ++m) taper[points - high + m - 1] = factor(m, high);
  return taper;
}

namespace {

/// Tapers of the layer's boxes at a wavefield's two times.
template <class Real>
std::vector<PointsOfBox> tapers(const LayerFields& fields, std::size_t i) {
  const auto of = [&](const char* name) { return fields.own(name).template of<Real>(); };
  const Taper<Real> taper{fields.grid.layout, fields.u[i].of<Real>(), fields.u_next[i].of<Real>(),
                          of("taper_x"),      of("taper_y"),          of("taper_z")};
  std::vector<PointsOfBox> all;
  for (const Box3& box : make_regions(fields.grid.n, fields.spec.widths).pml) all.push_back({box, taper});
  return all;
}

std::vector<LayerWork> all_tapers(const LayerFields& fields) {
  std::vector<LayerWork> all;
  with_real(fields.grid.precision, [&]<class Real>() {
    for (std::size_t i = 0; i < fields.u.size(); ++i)
      for (const PointsOfBox& work : tapers<Real>(fields, i)) all.emplace_back(work);
  });
  return all;
}

/// The parts that the layer and its transpose share.
template <class Layer>
class Tapered : public Layer {
 public:
  [[nodiscard]] std::vector<std::string> profiles() const override { return {"taper"}; }
  [[nodiscard]] std::vector<std::vector<double>> values(const BoundarySpec& /*spec*/, const PmlAxis& axis,
                                                        double /*dt*/) const override {
    return {make_taper(axis.points, axis.low, axis.high)};
  }
  /// Points of the layer, each read and written at both times.
  [[nodiscard]] std::int64_t points(const Grid& grid, const BoundarySpec& spec) const override {
    return points_of_layer(grid, spec);
  }
};

/// The taper before the step in place of behind it: sources and receivers are between the two.
class SpongeAdjoint final : public Tapered<LayerOperator> {
 public:
  [[nodiscard]] std::vector<LayerWork> work_before(const LayerFields& fields) const override {
    return all_tapers(fields);
  }
};

constexpr MeasuredReflection sponge_reflections[] = {
#include "boundary/sponge_reflection.inc"
};

class SpongeLayer final : public Tapered<AbsorbingLayer> {
 public:
  [[nodiscard]] std::vector<LayerWork> work(const LayerFields& fields) const override {
    return all_tapers(fields);
  }
  [[nodiscard]] const LayerOperator* adjoint() const override {
    static const SpongeAdjoint layer;
    return &layer;
  }
  [[nodiscard]] std::vector<PointsOfBox> drive(const LayerFields& fields, const StepFields& step,
                                               const DriveField& drive) const override {
    return drives(fields, step, drive, [&]<class Real>(const DrivePoint<Real>& point) {
      const auto of = [&](const char* name) { return fields.own(name).template of<Real>(); };
      return TaperedDrive<Real>{point, of("taper_x"), of("taper_y"), of("taper_z")};
    });
  }
  [[nodiscard]] std::span<const MeasuredReflection> measured() const override { return sponge_reflections; }
  [[nodiscard]] Complex over_time(const PlaneWaveRows& rows, int m) const override {
    const double taper = rows.layer.own[0][m];
    return rows.z / taper - 2.0 + taper * std::conj(rows.z);
  }
};

}  // namespace

const AbsorbingLayer& sponge_layer() {
  static const SpongeLayer layer;
  return layer;
}

}  // namespace minimod
