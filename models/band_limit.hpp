/// Band-limited samples of a medium.
///
/// The wave equation has m = 1/V² of a medium of constant density. On nodes h apart, m times a wave
/// aliases where m has wavenumbers that the nodes cannot carry, and a reflection then depends on where in its
/// cell an interface lies. A sampled m that has none of them reflects as the interface does, wherever it lies
/// (Mittet 2017, Geophysics 82(1), T29–T41; 2021 for interfaces within a model).
///
/// Media here are piecewise constant: layers, or a file's nodes, each of which fills the cell around it. They
/// are convolved with
///
///     w(ξ) ∝ sinc(c ξ) I₀(β √(1 − (ξ/8)²)),  |ξ| < 8 cells,  c = 0.92, β = 5.5,
///
/// and sampled at the nodes: each piece counts ∫w over it, a difference of the step's response at its two
/// ends. The cutoff c is in Nyquist wavenumbers: what lies beyond 1.25 of them, and comes back under 0.75, is
/// below 1e-3. Of 1500 over 2500 m/s a plane wave's reflection then has 0.976 to 1.010 of its amplitude
/// at 5.3 points per wavelength, 0.991 to 1.008 at 6 and 0.998 to 1.001 at 8, wherever the interface lies.
///
/// This is right to first order in the contrast. To second order a wave scatters through wavenumbers that the
/// nodes do not carry: with m_h, the part of m that was left out, the equation of what they do carry has
/// a term ω⁴ C u beside ω² m u, C = m_h (−∂²)⁻¹ m_h (the second order of homogenization, as in Capdeville,
/// Guillot & Marigo 2010, GJI 181). No m on the nodes is a fourth power of ω: what is thinner than a cell,
/// 2500 m/s in 1500, reflects up to 1.10 at 5.3 points, 1.02 at 8, and the phase of a strong interface is
/// 0.08 rad wrong at 5.3, 0.01 at 8, with any cutoff, window and stencil.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace minimod {

/// m of a velocity (m/s), s²/m².
[[nodiscard]] inline double squared_slowness(float v) {
  return 1 / (static_cast<double>(v) * v);
}
/// The velocity (m/s) of an m; of that of a velocity the very same bits.
[[nodiscard]] inline float velocity_of_slowness(double m) {
  return static_cast<float>(1 / std::sqrt(m));
}

/// How far from an interface it ripples, in cells.
inline constexpr int ripple_cells = 8;

/// The share of the far side at `cells` beyond an interface: exactly 0 and 1 from 8 cells on.
[[nodiscard]] double step_response(double cells);

/// The share of its amplitude that the reflection of a weak interface keeps at normal incidence, from 0 to 1,
/// with that many points per wavelength: w's Fourier transform at twice the wave's wavenumber. A strong one's
/// keeps more near the band's edge: 0.64 where this is 0.26.
[[nodiscard]] double kept_of_reflection(double points_per_wavelength);

// ---- how far the ripple may go

/// By how much V on the nodes may leave the extremes of the model: the default Δt, 0.8 of the model's limit,
/// is then still 0.96 of the least that the nodes can have.
inline constexpr double most_over = 1.2, least_under = 0.95;

/// The least and the greatest m that nodes may have.
struct SlownessBounds {
  double least = 0, greatest = 0;
  [[nodiscard]] static SlownessBounds around(float v_min, float v_max) {
    return {squared_slowness(v_max) / (most_over * most_over),
            squared_slowness(v_min) / (least_under * least_under)};
  }
  [[nodiscard]] double clamp(double m) const { return std::clamp(m, least, greatest); }
};

/// `here`, a sample of m between two others along an axis, within the bounds. What that adds is taken from
/// its two neighbours, half from each, as theirs from it: the sum along the axis stays, and with it the
/// interface's place and strength at all but the shortest waves.
[[nodiscard]] inline double settled(double before, double here, double after, const SlownessBounds& bounds) {
  const auto added = [&bounds](double m) { return bounds.clamp(m) - m; };
  return bounds.clamp(bounds.clamp(here) - (added(before) + added(after)) / 2);
}

// ---- the nodes of a run's axis from those of a model's

/// Indices begin <= i < end.
struct IndexRange {
  int begin = 0, end = 0;
  [[nodiscard]] int size() const { return end - begin; }
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// Weights of neighbouring nodes of a model in a sample; they add up to 1.
struct Shares {
  int first = 0;
  std::vector<double> weights{1};
  [[nodiscard]] int end() const { return first + static_cast<int>(weights.size()); }
  friend bool operator==(const Shares&, const Shares&) = default;
};

/// How far from a node, in node intervals, a position still counts as on it: more than the rounding of a
/// spacing that a file keeps as float32.
[[nodiscard]] double tolerance_at(double position);

/// The shares of the nodes 0 … nodes − 1 in the sample at `position`, in node intervals, for a run whose
/// nodes are `width` intervals apart. Where those are the closer ones the band is that of the model's nodes,
/// which is to interpolate. Outside the model its outermost nodes go on.
[[nodiscard]] Shares shares_around(double position, double width, int nodes);

/// An axis of a run over one of a model.
struct ResampledAxis {
  std::vector<Shares> shares;  ///< shares of each index
  bool copies = false;         ///< each index is a node, whose values are taken as they are

  /// `points` indices, `ratio` node intervals apart, the first on node 0 of `nodes`.
  static ResampledAxis over(int points, double ratio, int nodes);

  [[nodiscard]] int points() const { return static_cast<int>(shares.size()); }
  /// With the neighbours that settled() asks for.
  [[nodiscard]] IndexRange with_neighbours(IndexRange wanted) const;
  /// The nodes that the samples of `wanted`, neighbours included, are made of.
  [[nodiscard]] IndexRange nodes(IndexRange wanted) const;
};

/// Along a row: the samples of `wanted` from m of the nodes, of which `row` has those from `first` on.
void resample_row(const ResampledAxis& axis, IndexRange wanted, std::span<const double> row, int first,
                  const SlownessBounds& bounds, std::span<double> samples);

/// `here` of rows (or planes) beside each other, settled between the one before and the one after.
void settle_rows(std::span<const double> before, std::span<const double> here, std::span<const double> after,
                 const SlownessBounds& bounds, std::span<double> settled_rows);

}  // namespace minimod
