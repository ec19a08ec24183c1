#include "kernels/relaxation/host_sweeps.hpp"

#include <algorithm>

#include <Kokkos_Core.hpp>

#include "kernels/cpu_level.hpp"
#include "kernels/relaxation/colours_apart.hpp"
#include "kernels/relaxation/relaxation_kernels.hpp"

namespace minimod::relaxation {

namespace {

using Rows = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::Schedule<Kokkos::Static>>;

constexpr std::int64_t fewest_nodes = 1 << 15;  // of a plate, for which it pays to wake the other cores

template <class Real>
MINIMOD_INLINE void relax_row_of_colour(const PlateArgs<Real>& args, int j) {
  const int odd = (j + args.colour) & 1, nodes = (args.box.end.x + 1 - odd) / 2;
  MINIMOD_INDEPENDENT
  for (int k = 0; k < nodes; ++k) ColoursApart<Real, 1, 1>::relax(args, k, j);
}

template <class Real>
MINIMOD_INLINE std::uint64_t greatest_defect_of_row(const PlateArgs<Real>& args, int j) {
  std::uint64_t greatest = 0;
  for (int i = 0; i < args.box.end.x; ++i) greatest = std::max(greatest, size_bits(args.defect(i, j)));
  return greatest;
}

}  // namespace

template <class Real>
void relax_on_all_cores(const PlateArgs<Real>& args, void* /*stream*/) {
  const CpuLevel level = cpu_level();
  const auto relax_row = [=](int j) { at_cpu_level(level, [&] { relax_row_of_colour(args, j); }); };
  if (args.box.points() < fewest_nodes) {
    for (int j = 0; j < args.box.end.y; ++j) relax_row(j);
  } else {
    Kokkos::parallel_for("minimod::relax", Rows(0, args.box.end.y), relax_row);
  }
}

template <class Real>
void relax_in_sequence(const PlateArgs<Real>& args, void* /*stream*/) {
  if (args.colour != 0) return;
  at_cpu_level_v3([&] {
    for (int j = 0; j < args.box.end.y; ++j) {
      for (int i = 0; i < args.box.end.x; ++i) args.relax_in_rows({i, j, 0});
    }
  });
}

template <class Real>
void find_defect_on_host(const PlateArgs<Real>& args, std::uint64_t* greatest) {
  std::uint64_t found = 0;
  Kokkos::parallel_reduce(
      "minimod::defect", Rows(0, args.box.end.y),
      [=](int j, std::uint64_t& most) {
        at_cpu_level_v3([&] { most = std::max(most, greatest_defect_of_row(args, j)); });
      },
      Kokkos::Max<std::uint64_t>(found));
  *greatest = found;
}

template void relax_on_all_cores(const PlateArgs<float>&, void*);
template void relax_on_all_cores(const PlateArgs<double>&, void*);
template void relax_in_sequence(const PlateArgs<float>&, void*);
template void relax_in_sequence(const PlateArgs<double>&, void*);
template void find_defect_on_host(const PlateArgs<float>&, std::uint64_t*);
template void find_defect_on_host(const PlateArgs<double>&, std::uint64_t*);

}  // namespace minimod::relaxation
