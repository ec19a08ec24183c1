#include "kernels/shapes/kokkos.hpp"

#include "kernels/equation_list.hpp"
#include "kernels/shapes/reference.hpp"

namespace minimod {

namespace {
template <class Update>
PlanLaunch launch() {
  return on_host<typename Update::Args>(run_kokkos<Update, Kokkos::DefaultHostExecutionSpace>);
}

/// Each array that is read beside the point counts as u does.
template <class Update>
void run_rows(const typename Update::Args& args) {
  if (args.box.empty()) return;
  const CpuLevel level = cpu_level();
  int arrays = 0;
  for_each(typename Update::Beside{}, [&]<int Array>() { ++arrays; });
  const int row_bytes =
      args.box.extent().x * static_cast<int>(sizeof(typename Update::Real)) + 2 * cache_line;
  const int rows_of_a_point = arrays * (2 * args.weights.radius + 2) + 8;
  const RowBlocks blocks =
      cut_rows(args.box, std::int64_t{rows_of_a_point} * row_bytes, 2 * args.weights.radius);
  const int threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  WorkShares shares(blocks.planes(), threads);
  const auto update = [&](int i) {
    typename Update::Args plane = args;
    plane.box = blocks[i];
    const auto update_plane = [&plane] { run_reference<Update>(plane); };
    if constexpr (Update::radius == any_radius) {
      at_cpu_level_v3(update_plane);
    } else {
      at_cpu_level(level, update_plane);
    }
  };
  const Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<int>> all(0, threads);
  Kokkos::parallel_for("minimod::rows", all, [&](int thread) { shares.work_off(thread, update); });
}

template <class Update>
PlanLaunch launch_rows() {
  return on_host<typename Update::Args>(run_rows<Update>);
}
}  // namespace

Launches kokkos_host_launches(int radius, Precision precision, Equation equation) {
  Launches launches;
  if (!is_wave(equation)) {
    with_built_stencil(precision, radius, [&]<class Real, int Radius>() {
      with_equation(equation, [&]<class Line>() {
        launches.inner = launch_rows<typename Line::template Of<InnerUpdate<Real, Radius>>>();
        launches.pml = launch_rows<typename Line::template Of<PmlUpdate<Real, Radius>>>();
        launches.mixed = launch_rows<typename Line::template Of<MixedUpdate<Real, Radius>>>();
      });
    });
    return launches;
  }
  with_built_stencil(precision, radius, [&]<class Real, int Radius>() {
    launches.inner = launch<InnerUpdate<Real, Radius>>();
    launches.pml = launch<PmlUpdate<Real, Radius>>();
    launches.mixed = launch<MixedUpdate<Real, Radius>>();
  });
  launches.whole_step = launches.mixed;
  return launches;
}

}  // namespace minimod
