/// The arguments of a launch, in parts (`LaunchArgs`), and those of its kernel, passed by value
/// (`WaveArgs`, `DomainArgs`). The former's pointers are untyped, so that one plan, schedule and backend
/// serve both precisions: they get their type where a launch makes its kernel's arguments.
#pragma once

#include "kernels/coded_velocity.hpp"
#include "kernels/stencil.hpp"

namespace minimod {

/// The points that a launch updates, and where points of the fields stand.
struct PointArgs {
  Box3 box;                   ///< the points to update
  Box3 inner;                 ///< for a launch with both formulas: where the inner one holds
  bool updates_inner = true;  ///< false: only points outside `inner` are updated
  Layout layout;              ///< layout of u, u_next and v2dt2
  Layout phi_layout;          ///< layout of phi
};

/// The fields by their roles: the storages that the layouts index, and the constants of what they hold.
template <class Real>
struct FieldArgs {
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
  /// Sum of η over the axes as a 3-D array of the layout of u, for the shapes that stage it.
  const Real* eta = nullptr;
  const std::uint16_t* v2dt2_codes = nullptr;  ///< codes of v2dt2, for the shapes that ask for them
  VelocityCode v2dt2_code;                     ///< the codes' meaning
  double shift = 0;  ///< by which phi decays where η is 0 (boundary/pml_profile.hpp), dimensionless

  FieldArgs() = default;
  /// Untyped pointers as those of the type that the fields have.
  template <class Untyped>
  explicit FieldArgs(const FieldArgs<Untyped>& of)
      : u(static_cast<const Real*>(of.u)),
        u_before(static_cast<const Real*>(of.u_before)),
        u_next(static_cast<Real*>(of.u_next)),
        u_second(static_cast<Real*>(of.u_second)),
        v2dt2(static_cast<const Real*>(of.v2dt2)),
        phi(static_cast<Real*>(of.phi)),
        phi_next(static_cast<Real*>(of.phi_next)),
        eta_x(static_cast<const Real*>(of.eta_x)),
        eta_y(static_cast<const Real*>(of.eta_y)),
        eta_z(static_cast<const Real*>(of.eta_z)),
        eta(static_cast<const Real*>(of.eta)),
        v2dt2_codes(of.v2dt2_codes),
        v2dt2_code(of.v2dt2_code),
        shift(of.shift) {}
};

/// Arrays of equations that have more than the wave equation's, in the layout of u.
struct MoreFieldArgs {
  const void* media[4] = {};       ///< behind v2dt2, in the order of the field table
  const void* q = nullptr;         ///< a second wavefield at tₙ
  const void* q_before = nullptr;  ///< at tₙ₋₁; may be the storage of q_next
  void* q_next = nullptr;          ///< at tₙ₊₁ on exit
  void* q_phi = nullptr;           ///< auxiliary field of q, in the layout of phi
};

/// The grid's spacing and the difference, from which the weights of the star follow.
struct StarArgs {
  Point3 spacing;  ///< spacing of the grid, m
  Difference difference;
};

/// The source and the receivers of a shot, for a launch that serves them beside its update.
template <class Real>
struct ShotArgs {
  Box3 source;                              ///< the box in which it adds to u
  const Real* source_shares = nullptr;      ///< shares of these points, x fastest
  const Real* source_sample = nullptr;      ///< the value that they share at tₙ₊₁; null for nothing
  const Real* source_second = nullptr;      ///< the same at tₙ₊₂, for a launch of two steps
  const std::int64_t* receivers = nullptr;  ///< indices of the nodes whose u at tₙ it keeps
  Real* recorded = nullptr;                 ///< values that it keeps
  int receiver_count = 0;

  ShotArgs() = default;
  template <class Untyped>
  explicit ShotArgs(const ShotArgs<Untyped>& of)
      : source(of.source),
        source_shares(static_cast<const Real*>(of.source_shares)),
        source_sample(static_cast<const Real*>(of.source_sample)),
        source_second(static_cast<const Real*>(of.source_second)),
        receivers(of.receivers),
        recorded(static_cast<Real*>(of.recorded)),
        receiver_count(of.receiver_count) {}
};

/// The ends of a slab along z, for a launch of two steps.
struct SlabArgs {
  int ghosts_above = 0, ghosts_below = 0;  ///< outermost planes of which it leaves u_second to a neighbour
  unsigned* rim_done = nullptr;  ///< to which its blocks add 1 when u_second of the rim above is stored
  bool has_surface = false;      ///< u at tₙ₊₁ is kept odd about the box's first plane z
};

/// Where the fields of a launch lie that lie in chunks, and which side of the L2 its blocks are on.
struct SideArgs {
  ChunkLayout chunks;  ///< without columns: all lie in rows
  LaunchPages pages;
  const unsigned char* side_of_multiprocessor = nullptr;
};

struct CpmlOfWave;
template <class Real, class Terms>
struct CpmlPass;

/// Corrections that a CPML makes of u⁺ across x (kernels/layers/cpml_terms.hpp), for a launch that makes them
/// as it goes; null for none.
struct LayerArgs {
  const CpmlPass<float, CpmlOfWave>* across_x = nullptr;
};

/// Memory and number of the blocks of a launch that stay on their multiprocessors.
struct BlockArgs {
  void* workspace = nullptr;  ///< device memory for the launch, where the shape asks for some; zero before it
  unsigned* status = nullptr;  ///< set by a launch that gives up waiting for its own blocks
  int most_blocks = 0;         ///< 0: as many as fit
};

/// All that a launch is given. The reals have the precision that the launch was planned for.
struct LaunchArgs : PointArgs,
                    FieldArgs<void>,
                    MoreFieldArgs,
                    StarArgs,
                    ShotArgs<void>,
                    SlabArgs,
                    SideArgs,
                    LayerArgs,
                    BlockArgs {
  LaunchArgs() = default;
  /// Sets what follows from the grid.
  explicit LaunchArgs(const Grid& grid) {
    layout = grid.layout;
    chunks = grid.chunks;
    spacing = grid.spacing;
    difference = grid.difference();
    ghosts_above = grid.ghosts_above;
    ghosts_below = grid.ghosts_below;
  }
};

/// The constants of the wave's formulas, made once a plan.
template <class Real, int Radius = stencil_radius>
struct WaveConstants {
  Real gradient_x = 0, gradient_y = 0, gradient_z = 0;  ///< 1 / (4h²) of each axis, 1/m²
  Real alpha = 0;                                       ///< the shift, which each launch brings
  StencilWeights<Real, Radius> weights;

  WaveConstants() = default;
  explicit WaveConstants(const StarArgs& of)
      : gradient_x(static_cast<Real>(1 / (4 * of.spacing.x * of.spacing.x))),
        gradient_y(static_cast<Real>(1 / (4 * of.spacing.y * of.spacing.y))),
        gradient_z(static_cast<Real>(1 / (4 * of.spacing.z * of.spacing.z))),
        weights(make_stencil_weights<Real, Radius>(
            of.spacing, {Radius == any_radius ? of.difference.radius : Radius, of.difference.weights})) {}
};

/// All that a wave's kernel of one box needs, passed by value. Those of density and VTI begin with it.
template <class Real, int Radius = stencil_radius>
struct WaveArgs : PointArgs, FieldArgs<Real>, WaveConstants<Real, Radius> {
  using Constants = WaveConstants<Real, Radius>;

  WaveArgs() = default;
  WaveArgs(const LaunchArgs& given, const Constants& constants)
      : PointArgs(given), FieldArgs<Real>(given), Constants(constants) {
    this->alpha = static_cast<Real>(given.shift);
  }
  /// For a launch that is needed once.
  WaveArgs(const LaunchArgs& given) : WaveArgs(given, Constants(given)) {}
};

/// All that a kernel of the whole domain needs: these are made for floats. The parts behind the first are
/// members, since compilers for the host and for the GPU do not agree on where bases begin that follow one
/// whose end is padded.
template <int Radius>
struct DomainArgsOf : WaveArgs<float, Radius> {
  using typename WaveArgs<float, Radius>::Constants;
  ShotArgs<float> shot;
  SlabArgs slab;
  BlockArgs blocks;

  DomainArgsOf() = default;
  DomainArgsOf(const LaunchArgs& given, const Constants& constants)
      : WaveArgs<float, Radius>(given, constants), shot(given), slab(given), blocks(given) {}
  DomainArgsOf(const LaunchArgs& given) : DomainArgsOf(given, Constants(given)) {}
};
using DomainArgs = DomainArgsOf<stencil_radius>;

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
