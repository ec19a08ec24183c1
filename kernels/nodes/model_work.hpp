/// Work on a model's nodes where a device reads them: point by point, or a row at once.
#pragma once

#include "kernels/layouts/rows.hpp"
#include "kernels/nodes/model_nodes.hpp"
#include "src/base/files/joined_checksums.hpp"

namespace minimod {

/// (V Δt)², m².
template <class Real>
[[nodiscard]] MINIMOD_HD inline Real squared_courant_length(float v, double dt) {
  const double length = v * dt;
  return static_cast<Real>(length * length);
}

/// Gives a point of the grid its (V Δt)².
template <class Real, class At = Layout>
struct MediumOfNodes {
  PlacedNodes model;
  double dt = 0;
  At layout;
  Real* medium = nullptr;
  MINIMOD_HD void operator()(Index3 p) const {
    medium[layout.index(p.x, p.y, p.z)] = squared_courant_length<Real>(model.velocity(p), dt);
  }
};

/// Puts a node's velocity where those of all nodes stand behind each other, x fastest.
struct PackedNodes {
  ModelNodes nodes;
  float* velocities = nullptr;
  MINIMOD_HD void operator()(Index3 p) const {
    velocities[(std::int64_t{p.z} * nodes.n.y + p.y) * nodes.n.x + p.x] = nodes.velocity(p.x, p.y, p.z);
  }
};

/// Finds the facts of row y = p.x, z = p.y: threads beside each other take rows.
struct FactsOfRows {
  ModelNodes nodes;
  int begin = 0, end = 0;  ///< nodes along x to look at
  RowFacts* rows = nullptr;
  MINIMOD_HD void operator()(Index3 p) const {
    RowFacts found{0, greatest_of_velocities, 0, 0, 0};
    for (int x = 0; x < nodes.n.x; ++x) {
      found.crc32 = crc32_with(nodes.value(x, p.x, p.y), found.crc32);
      if (x < begin || x >= end) continue;
      const float v = nodes.velocity(x, p.x, p.y);
      found.least = v < found.least ? v : found.least;
      found.greatest = v > found.greatest ? v : found.greatest;
      if (is_velocity(v)) continue;
      if (found.bad == 0) found.first_bad = x;
      ++found.bad;
    }
    rows[std::int64_t{p.y} * nodes.n.y + p.x] = found;
  }
};

}  // namespace minimod
