/// The energy of a wavefield.
#pragma once

#include <vector>

#include "validation/cases/means/domain.hpp"

namespace minimod {

/// Energy that the leapfrog conserves in a closed box, as twice the energy over a cell's volume:
/// Σ ((u⁺ − u) / (V Δt))² − u ∇²ₕu⁺ over all points, of u⁺ (`now`) and u (`before`), x fastest. Sums in
/// double; u = 0 around the box, or odd above it under a free surface.
[[nodiscard]] double wave_energy(const std::vector<double>& now, const std::vector<double>& before,
                                 const Domain& domain);

}  // namespace minimod
