/// The scheme in double on the host: the reference path with the formulas of every kernel, for the checks
/// that the rounding of float would hide.
#pragma once

#include <vector>

#include "validation/cases/means/domain.hpp"

namespace minimod {

/// Name of the kernel that computes it, for the records.
inline constexpr const char* float64_kernel = "reference (float64, host)";

/// Values of the PML's auxiliary field that the launches of its regions need.
[[nodiscard]] inline std::int64_t phi_size(const Grid& grid, const Regions& regions) {
  std::int64_t size = 0;
  for (const Box3& box : regions.pml) size += box_layout(box, grid.layout, 0).size;
  return size;
}

/// Values outside the box.
enum class Edges {
  closed,    ///< u = 0
  periodic,  ///< the box again
};

/// A domain with a PML or without, at rest at first. Not for other layers and free surfaces.
class Float64Run {
 public:
  explicit Float64Run(const Domain& domain, Edges edges = Edges::closed);

  /// Sets u at the present and at the previous step: before(x, y, z), now(x, y, z).
  template <class Before, class Now>
  void set(Before before, Now now) {
    for_points([&](Index3 p, std::int64_t i) {
      u_next_[i] = before(p);
      u_[i] = now(p);
    });
  }

  /// A time step, then u += (V Δt)² s / (hx hy hz) at the node (equation 2 with the sample s).
  void step(Index3 source, double sample);
  void step();

  [[nodiscard]] double at(Index3 p) const { return u_[grid_.layout.index(p.x, p.y, p.z)]; }

  /// Visits the points: visit(point, u).
  template <class Visit>
  void for_values(Visit visit) const {
    for_points([&](Index3 p, std::int64_t i) { visit(p, u_[i]); });
  }

 private:
  template <class Visit>
  void for_points(Visit visit) const {
    for (int z = 0; z < grid_.n.z; ++z) {
      for (int y = 0; y < grid_.n.y; ++y) {
        for (int x = 0; x < grid_.n.x; ++x) visit(Index3{x, y, z}, grid_.layout.index(x, y, z));
      }
    }
  }
  void wrap();

  Grid grid_;
  Edges edges_;
  Boundary boundary_;
  std::vector<RegionLaunch> launches_;
  std::vector<double> u_, u_next_;  ///< u_next_ holds u at the previous step, between the steps
  std::vector<double> v2dt2_, phi_;
};

}  // namespace minimod
