/// The medium of Density (density.hpp) from ρ at the nodes, and the time step that it allows.
#pragma once

#include <functional>
#include <vector>

#include "kernels/grid.hpp"

namespace minimod {

/// b = 1/ρ (m³/kg) of a grid and as far beyond as its stencil reads, where ρ is that of the nearest point; in
/// the layout of the grid.
template <class Real>
struct Buoyancy {
  std::vector<Real> nodes;
  std::vector<Real> x, y, z;  ///< half a spacing behind the nodes along an axis
};

/// Half a spacing behind a node along an axis ln ρ is interpolated from 2R nodes of the axis, to order 2R as
/// the differences are: b stays positive, and neither ρ nor b is preferred. A plane wave at normal incidence
/// of 20 points per wavelength is reflected by a step from 1000 to 2700 kg/m³ as by one half-way between the
/// nodes to 0.01 h and 1.5 % of its amplitude; ρ interpolated shifts the step by 0.05 h, b by 0.03 h, and the
/// mean of two nodes instead of 2R, the usual effective medium (Moczo et al. 2002, Bulletin of the
/// Seismological Society of America 92(8), 3042–3066), by 0.1 h at 3 %. b is at least so great, which counts
/// on steps by a factor of 12 (order 8; 4 at order 16) and more, that the terms of even m, whose weights are
/// negative, take no more than the nearest points give: so no medium has a wave that grows.
template <class Real>
[[nodiscard]] Buoyancy<Real> make_buoyancy(const Grid& grid, const std::function<double(Index3)>& density);

/// The Δt (s) up to which no wave grows: 2 / √(the greatest sum of magnitudes in a row of the difference
/// operator, times V²/b there), which bounds its eigenvalues (Gershgorin) and is the greatest of them where
/// the medium is constant. `velocity` in m/s.
template <class Real>
[[nodiscard]] double density_dt_limit(const Grid& grid, const Buoyancy<Real>& buoyancy,
                                      const std::function<double(Index3)>& velocity);

}  // namespace minimod
