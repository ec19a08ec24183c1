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

  /// Rows of nodes along x, j fastest of (j, k).
  [[nodiscard]] MINIMOD_HD int rows() const { return count.y * count.z; }
  template <class Real>
  [[nodiscard]] MINIMOD_HD Real factor(int r) const {
    return static_cast<Real>(y[r % count.y]) * static_cast<Real>(z[r / count.y]);
  }
  template <class Real, class At>
  [[nodiscard]] MINIMOD_HD Real row(const Real* field, const At& at, int r) const {
    Real sum = 0;
    for (int i = 0; i < count.x; ++i) {
      sum += static_cast<Real>(x[i]) *
             field[at.index(first.x + i, first.y + r % count.y, first.z + r / count.y)];
    }
    return sum;
  }

  template <class Real, class At>
  [[nodiscard]] MINIMOD_HD Real value(const Real* field, const At& at) const {
    Real sum = 0;
    for (int r = 0; r < rows(); ++r) sum += factor<Real>(r) * row(field, at, r);
    return sum;
  }
};

}  // namespace minimod
