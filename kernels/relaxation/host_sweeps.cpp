#include <algorithm>

#include <Kokkos_Core.hpp>

#include "kernels/host/cpu_level.hpp"
#include "kernels/relaxation/relaxation_kernels.hpp"

namespace minimod::relaxation {

namespace {

using Rows = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::Schedule<Kokkos::Static>>;

constexpr std::int64_t fewest_nodes = 1 << 15;  // nodes of a plate for which it pays to wake the other cores

template <class Equation>
MINIMOD_INLINE void relax_node(const typename Equation::Args& args, Index3 p) {
  Equation::compute(MemoryPoint<Equation>{{args, NoBlock()}, p});
}

template <class Real>
MINIMOD_INLINE void relax_row_of_colour(const PlateArgs<Real>& args, int j) {
  const int colour = args.box.begin.z, odd = HeatOfColour<Real>::odd({0, j, colour});
  const int nodes = (args.n.x + 1 - odd) / 2;
  MINIMOD_INDEPENDENT
  for (int k = 0; k < nodes; ++k) relax_node<HeatOfColour<Real>>(args, {k, j, colour});
}

template <class Real>
MINIMOD_INLINE std::uint64_t greatest_defect_of_row(const PlateArgs<Real>& args, int j) {
  std::uint64_t greatest = 0;
  for (int i = 0; i < args.n.x; ++i) greatest = std::max(greatest, size_bits(args.defect(i, j)));
  return greatest;
}

template <class Real>
void relax_on_all_cores(const PlateArgs<Real>& args, Stream /*stream*/) {
  const CpuLevel level = cpu_level();
  const auto relax_row = [=](int j) { at_cpu_level(level, [&] { relax_row_of_colour(args, j); }); };
  if (args.n.points() < fewest_nodes) {
    for (int j = 0; j < args.n.y; ++j) relax_row(j);
  } else {
    Kokkos::parallel_for("minimod::relax", Rows(0, args.n.y), relax_row);
  }
}

template <class Real>
void relax_in_sequence(const PlateArgs<Real>& args, Stream /*stream*/) {
  if (args.box.begin.z != 0) return;
  at_cpu_level_v3([&] {
    for (int j = 0; j < args.n.y; ++j) {
      for (int i = 0; i < args.n.x; ++i) relax_node<Heat<Real>>(args, {i, j, 0});
    }
  });
}

template <class Real>
void find_greatest_defect(const PlateArgs<Real>& args, std::uint64_t* greatest, Stream /*stream*/) {
  std::uint64_t found = 0;
  Kokkos::parallel_reduce(
      "minimod::defect", Rows(0, args.n.y),
      [=](int j, std::uint64_t& most) {
        at_cpu_level_v3([&] { most = std::max(most, greatest_defect_of_row(args, j)); });
      },
      Kokkos::Max<std::uint64_t>(found));
  *greatest = found;
}

}  // namespace

PlateLaunchers launchers_on_all_cores() {
  return {{relax_on_all_cores<float>, find_greatest_defect<float>},
          {relax_on_all_cores<double>, find_greatest_defect<double>}};
}

PlateLaunchers launchers_in_sequence() {
  return {{relax_in_sequence<float>, find_greatest_defect<float>},
          {relax_in_sequence<double>, find_greatest_defect<double>}};
}

}  // namespace minimod::relaxation
