/// The convolutional PML with a complex frequency shift, for the second-order wave equation (Komatitsch &
/// Martin 2007; Pasalic & McGarry 2010): in the layer across axis d the derivative ∂ becomes ∂ + ψ* with the
/// stretch 1 + d/(α + iω), so that ∂²u becomes ∂²u + ∂ψ + ζ with
///
///     ψ ← b ψ + a ∂u,   ζ ← b ζ + a (∂²u + ∂ψ),   b = exp(−(d + α) Δt),   a = (b − 1) d / (d + α)
///
/// The terms of the axes add up, so the layer is a correction behind the inner update of the whole grid:
/// u⁺ += (V Δt)² (∂ψ + ζ). ψ and ζ live in the layer alone.
#pragma once

#include <vector>

#include "boundary/regions.hpp"
#include "kernels/stencil.hpp"

namespace minimod {

/// Weights of the first difference of order 8 along one axis (times h), of the points m to the right.
inline constexpr double first_difference[stencil_radius] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};

/// a and b of each point of an axis.
struct CpmlProfile {
  std::vector<double> a, b;
};

/// d grows with the square of the depth, α falls linearly from π f at the inner box to zero.
[[nodiscard]] CpmlProfile make_cpml_profile(int points, int low, int high, double spacing, double velocity,
                                            double frequency, double dt);

/// One layer: the box across one axis, with the points inwards of it that ∂ψ reaches, where a and b are 0.
struct CpmlSlab {
  Box3 box;
  int axis = 0;                                             ///< 0, 1, 2: x, y, z
  Layout memory;                                            ///< of psi and zeta, with a halo along the axis
  float first[stencil_radius]{}, second[stencil_radius]{};  ///< weights, over h and h²
  float centre = 0;                                         ///< of the second difference, over h²
  const float* a = nullptr;                                 ///< by the index along the axis
  const float* b = nullptr;
  float* psi = nullptr;
  float* zeta = nullptr;
};

/// From a point to its neighbour along an axis.
template <int Axis>
MINIMOD_HD std::int64_t stride_along(const Layout& at) {
  return Axis == 0 ? 1 : Axis == 1 ? at.stride_y : at.stride_z;
}
template <int Axis>
MINIMOD_HD int index_along(Index3 p) {
  return Axis == 0 ? p.x : Axis == 1 ? p.y : p.z;
}

/// ∂ of the field at `centre`.
MINIMOD_HD inline float slope_at(const CpmlSlab& slab, const float* centre, std::int64_t stride) {
  float sum = 0;
  for (int m = 1; m <= stencil_radius; ++m) {
    sum += slab.first[m - 1] * (centre[m * stride] - centre[-m * stride]);
  }
  return sum;
}

/// ∂² of the field at `centre`.
MINIMOD_HD inline float curvature_at(const CpmlSlab& slab, const float* centre, std::int64_t stride) {
  float sum = slab.centre * *centre;
  for (int m = 1; m <= stencil_radius; ++m) {
    sum += slab.second[m - 1] * (centre[m * stride] + centre[-m * stride]);
  }
  return sum;
}

/// ψ ← b ψ + a ∂u at a point of the layer across an axis.
template <int Axis>
struct CpmlMemoryUpdate {
  CpmlSlab slab;
  Layout layout;  ///< of u
  const float* u = nullptr;
  MINIMOD_HD void operator()(Index3 p) const {
    const int i = index_along<Axis>(p);
    const float* const centre = u + layout.index(p.x, p.y, p.z);
    float& psi = slab.psi[slab.memory.index(p.x, p.y, p.z)];
    psi = slab.b[i] * psi + slab.a[i] * slope_at(slab, centre, stride_along<Axis>(layout));
  }
};

/// ζ ← b ζ + a (∂²u + ∂ψ), then u⁺ += (V Δt)² (∂ψ + ζ), at a point of the layer across an axis.
template <int Axis>
struct CpmlCorrection {
  CpmlSlab slab;
  Layout layout;  ///< of u, u_next and v2dt2
  const float* u = nullptr;
  float* u_next = nullptr;
  const float* v2dt2 = nullptr;
  MINIMOD_HD void operator()(Index3 p) const {
    const int i = index_along<Axis>(p);
    const std::int64_t at = layout.index(p.x, p.y, p.z), k = slab.memory.index(p.x, p.y, p.z);
    const float curvature = curvature_at(slab, u + at, stride_along<Axis>(layout));
    const float slope = slope_at(slab, slab.psi + k, stride_along<Axis>(slab.memory));
    const float zeta = slab.b[i] * slab.zeta[k] + slab.a[i] * (curvature + slope);
    slab.zeta[k] = zeta;
    u_next[at] += v2dt2[at] * (slope + zeta);
  }
};

}  // namespace minimod
