#include "validation/cases/means/wave_energy.hpp"

#include <algorithm>

#include "kernels/stencil.hpp"

namespace minimod {

namespace {

/// The field with its halo.
std::vector<double> with_halo(const std::vector<double>& field, const Grid& grid, bool free_surface) {
  const Extent3 n = grid.n;
  const Layout& at = grid.layout;
  std::vector<double> padded(at.size);
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      std::copy_n(field.begin() + (std::int64_t{z} * n.y + y) * n.x, n.x, padded.begin() + at.index(0, y, z));
    }
  }
  for (int m = 1; free_surface && m <= stencil_radius; ++m) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) padded[at.index(x, y, -m)] = -padded[at.index(x, y, m)];
    }
  }
  return padded;
}

}  // namespace

double wave_energy(const std::vector<double>& now, const std::vector<double>& before, const Domain& domain) {
  const Extent3 n = domain.n;
  const Grid grid = domain.grid();
  const std::vector<double> padded = with_halo(now, grid, domain.free_surface);
  const auto weights = make_stencil_weights<double>(grid.spacing);
  const Layout& at = grid.layout;
  double sum = 0;
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) {
        const std::int64_t i = (std::int64_t{z} * n.y + y) * n.x + x;
        const MemoryStar<double> star{&padded[at.index(x, y, z)], at.stride_y, at.stride_z};
        const double velocity = (now[i] - before[i]) / (domain.dt * domain.velocity_of({x, y, z}));
        sum += velocity * velocity - before[i] * evaluate(weights, star).laplacian;
      }
    }
  }
  return sum;
}

}  // namespace minimod
