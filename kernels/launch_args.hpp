/// What a launch is given, and what its kernel gets of it.
#pragma once

#include <cstring>

#include "kernels/coded_velocity.hpp"
#include "kernels/stencil.hpp"

namespace minimod {

/// What a launch is given, of any order and precision. The pointers are to the storages that the layouts
/// index, of reals of the precision that the launch was planned for: then Real is void.
template <class Real = void>
struct LaunchArgs {
  Box3 box;                        ///< the points to update
  Box3 inner;                      ///< for a launch with both formulas: where the inner one holds
  bool updates_inner = true;       ///< such a launch passes the points of `inner` over when false
  Layout layout;                   ///< of u, u_next and v2dt2
  Layout phi_layout;               ///< of phi
  const Real* u = nullptr;         ///< at tₙ
  const Real* u_before = nullptr;  ///< at tₙ₋₁; may be the storage of u_next
  Real* u_next = nullptr;          ///< at tₙ₊₁ on exit
  Real* u_second = nullptr;        ///< at tₙ₊₂ on exit, for a launch of two steps
  const Real* v2dt2 = nullptr;     ///< (V Δt)², m²
  Real* phi = nullptr;             ///< auxiliary field of the PML, met in the PML boxes only
  Real* phi_next = nullptr;        ///< the same on exit, for a launch that does not write it where it was
  const Real* eta_x = nullptr;  ///< damping along each axis, dimensionless; [-1] and [n] are the ghost nodes
  const Real* eta_y = nullptr;
  const Real* eta_z = nullptr;
  const Real* eta = nullptr;  ///< their sum as a 3-D array of the layout of u, for the shapes that stage it
  bool has_surface = false;  ///< a launch of two steps keeps u at tₙ₊₁ odd about the box's first plane z
  Box3 source;               ///< where a launch that serves the source adds to u
  const Real* source_shares = nullptr;      ///< of these points, x fastest
  const Real* source_sample = nullptr;      ///< the value that they share at tₙ₊₁; null for nothing
  const Real* source_second = nullptr;      ///< the same at tₙ₊₂, for a launch of two steps
  const std::int64_t* receivers = nullptr;  ///< whose u at tₙ a launch that serves them keeps, by index
  Real* recorded = nullptr;                 ///< these values
  int receiver_count = 0;
  const std::uint16_t* v2dt2_codes = nullptr;  ///< of v2dt2, at its indices, for the shapes that ask for it
  VelocityCode v2dt2_code;                     ///< what these mean
  void* workspace = nullptr;   ///< device memory for the launch itself, where the shape asks for some; zero
                               ///< before the launch
  unsigned* status = nullptr;  ///< set by a launch that gives up waiting for its own blocks
  /// Outermost planes along z of which a launch of two steps leaves u_second to a neighbour.
  int ghosts_above = 0, ghosts_below = 0;
  unsigned* rim_done = nullptr;  ///< to which its blocks add 1 when u_second of the rim above is stored
  int most_blocks = 0;  ///< of a launch whose blocks stay on their multiprocessors; 0: as many as fit
  Point3 spacing;       ///< of the grid, m
  StarWeights star_weights = StarWeights::taylor;
  double relaxation = 0;  ///< τ, m²: where it is not 0 the weights of the star are those of 1 + τ ∇²ₕ
  double shift = 0;       ///< by which phi decays where η is 0 (boundary/pml_profile.hpp), dimensionless

  /// The same, of the type that it is.
  template <class Other>
  [[nodiscard]] LaunchArgs<Other> as() const {
    LaunchArgs<Other> same;
    static_assert(sizeof same == sizeof *this);
    std::memcpy(static_cast<void*>(&same), this, sizeof same);
    return same;
  }
};

/// All that a kernel needs, passed by value.
template <class RealType, int Radius = stencil_radius>
struct StencilArgs : LaunchArgs<RealType> {
  RealType gradient_x = 0, gradient_y = 0, gradient_z = 0;  ///< 1 / (4h²) of each axis, 1/m²
  RealType alpha = 0;                                       ///< the shift
  StencilWeights<RealType, Radius> weights;

  StencilArgs() = default;
  /// Of a launch that was planned for this precision.
  explicit StencilArgs(const LaunchArgs<>& given, int radius = Radius)
      : LaunchArgs<RealType>(given.template as<RealType>()) {
    set_constants(given.spacing, given.shift, radius);
  }
  /// Sets what the formulas know of the grid's spacing h (m) and of the shift α of the boundary.
  void set_constants(Point3 h, double alpha_of_boundary, int radius = Radius) {
    this->spacing = h;
    this->shift = alpha_of_boundary;
    gradient_x = static_cast<RealType>(1 / (4 * h.x * h.x));
    gradient_y = static_cast<RealType>(1 / (4 * h.y * h.y));
    gradient_z = static_cast<RealType>(1 / (4 * h.z * h.z));
    alpha = static_cast<RealType>(alpha_of_boundary);
    weights = make_stencil_weights<RealType, Radius>(h, {radius, this->star_weights});
    if (this->relaxation != 0) weights = relaxed(weights, this->relaxation);
  }
};

/// Calls work.operator()<R>() of the stencil's radius R, 1 to most_radius.
template <class Work, int Radius = 1>
decltype(auto) with_radius(int radius, const Work& work) {
  if constexpr (Radius < most_radius) {
    if (radius != Radius) return with_radius<Work, Radius + 1>(radius, work);
  }
  return work.template operator()<Radius>();
}

/// Calls work.operator()<Real, R>() of a precision and a radius.
template <class Work>
decltype(auto) with_stencil(Precision precision, int radius, const Work& work) {
  return with_real(precision, [&]<class Real>() -> decltype(auto) {
    return with_radius(
        radius, [&]<int Radius>() -> decltype(auto) { return work.template operator()<Real, Radius>(); });
  });
}

/// The same for kernels that are built in: the common stencil has its own, all others share those of
/// any_radius.
template <class Work>
decltype(auto) with_built_stencil(Precision precision, int radius, const Work& work) {
  return with_real(precision, [&]<class Real>() -> decltype(auto) {
    if constexpr (is_common_stencil<Real, stencil_radius>) {
      if (radius == stencil_radius) return work.template operator()<Real, stencil_radius>();
    }
    return work.template operator()<Real, any_radius>();
  });
}

}  // namespace minimod
