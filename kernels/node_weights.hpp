/// A place between the nodes of a grid: the value of a field there is a weighted sum over a box of nodes.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// So many nodes along an axis at most.
inline constexpr int most_weights = 16;

/// Σ x[i] y[j] z[k] u(first + (i, j, k)) over i < count.x, j < count.y, k < count.z.
struct NodeWeights {
  Index3 first;
  Extent3 count;
  double x[most_weights], y[most_weights], z[most_weights];  ///< rounded to the field's precision where used

  template <class Real, class At>
  [[nodiscard]] MINIMOD_HD Real value(const Real* field, const At& at) const {
    Real sum = 0;
    for (int k = 0; k < count.z; ++k) {
      for (int j = 0; j < count.y; ++j) {
        Real along_x = 0;
        for (int i = 0; i < count.x; ++i)
          along_x += static_cast<Real>(x[i]) * field[at.index(first.x + i, first.y + j, first.z + k)];
        sum += static_cast<Real>(y[j]) * static_cast<Real>(z[k]) * along_x;
      }
    }
    return sum;
  }
};

}  // namespace minimod
