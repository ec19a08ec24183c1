/// Work of a boundary point by point around the launches of a step, on any device.
#pragma once

#include <variant>

#include "boundary/adjoint/drive.hpp"
#include "boundary/adjoint/pml_adjoint.hpp"
#include "boundary/adjoint/value_blocks.hpp"
#include "boundary/cpml/cpml_adjoint.hpp"
#include "boundary/sponge.hpp"
#include "kernels/coded_velocity.hpp"
#include "kernels/free_surface.hpp"
#include "kernels/nodes/model_work.hpp"

namespace minimod {

/// Gives a point what the field has at the same place on another plane.
template <class Real, class At = Layout>
struct PlaneRepeated {
  At layout;
  Real* field = nullptr;
  int z = 0;
  MINIMOD_HD void operator()(Index3 p) const {
    field[layout.index(p.x, p.y, p.z)] = field[layout.index(p.x, p.y, z)];
  }
};

/// Copies a point's value to where the same points lie otherwise.
template <class Real>
struct PointCopy {
  Layout from_layout, to_layout;
  const Real* from = nullptr;
  Real* to = nullptr;
  [[nodiscard]] MINIMOD_HD Real take(const Index3& p) const { return from[from_layout.index(p.x, p.y, p.z)]; }
  MINIMOD_HD void put(const Index3& p, Real value) const { to[to_layout.index(p.x, p.y, p.z)] = value; }
};

/// Members of a CPML's transpose, which know the usual radius.
template <class Real, int Radius>
using CpmlAdjointPoints = std::variant<CpmlAdjointZeta<Real, Radius>, CpmlAdjointPsi<Real, Radius, false>,
                                       CpmlAdjointPsi<Real, Radius, true>, CpmlAdjointTerms<Real, Radius>>;

/// Templates in both precisions.
template <template <class> class... Works>
using InBothPrecisions = std::variant<Works<float>..., Works<double>...>;

/// The alternatives of all of these variants.
template <class... Variants>
struct JoinedVariants;
template <class... Works>
struct JoinedVariants<std::variant<Works...>> {
  using type = std::variant<Works...>;
};
template <class... Ones, class... Others, class... Rest>
struct JoinedVariants<std::variant<Ones...>, std::variant<Others...>, Rest...>
    : JoinedVariants<std::variant<Ones..., Others...>, Rest...> {};

/// Members that know how a field lies.
using PlacedWork =
    std::variant<OddImage<float>, OddImage<double>, OddImage<float, ChunksOfField>, PlaneRepeated<float>,
                 PlaneRepeated<double>, PlaneRepeated<float, ChunksOfField>, MediumOfNodes<float>,
                 MediumOfNodes<double>, MediumOfNodes<float, ChunksOfField>, CodesOfMedium<Layout>,
                 CodesOfMedium<ChunksOfField>>;

/// Functions of a point, of which each writes to its own point or column only.
using PointWork =
    JoinedVariants<InBothPrecisions<Taper, PmlAdjointPoint, InnerDrive, PmlDrive, TaperedDrive, Correlation,
                                    Illumination, Scattering, PointCopy, BlockPacking, BlockUnpacking>,
                   PlacedWork, std::variant<PackedNodes, FactsOfRows>,
                   CpmlAdjointPoints<float, stencil_radius>, CpmlAdjointPoints<float, any_radius>,
                   CpmlAdjointPoints<double, stencil_radius>, CpmlAdjointPoints<double, any_radius>>::type;

/// Work at the points of a box.
struct PointsOfBox {
  Box3 box;
  PointWork work;
};

/// Does the work of a point.
template <class Work>
MINIMOD_INLINE MINIMOD_HD void work_at(const Work& work, const Index3& p) {
  if constexpr (TakesBefore<Work>) {
    work.put(p, work.take(p));
  } else {
    work(p);
  }
}

}  // namespace minimod
