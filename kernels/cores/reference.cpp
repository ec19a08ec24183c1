#include "kernels/cores/reference.hpp"

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include "kernels/equation_list.hpp"
#include "kernels/free_surface.hpp"

namespace minimod {

namespace {

void for_each_plane(const Box3& box, const std::function<void(const Box3& plane)>& update) {
  using Planes = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<int>>;
  Kokkos::parallel_for("minimod::reference", Planes(box.begin.z, box.end.z), [&](int z) {
    update({{box.begin.x, box.begin.y, z}, {box.end.x, box.end.y, z + 1}});
  });
}

/// The planes over the cores, in vectors: the yardstick is fast enough.
template <class Update>
void run_reference_planes(const typename Update::Args& args) {
  if (args.box.empty()) return;
  for_each_plane(args.box, [&args](const Box3& plane) {
    typename Update::Args of_plane = args;
    of_plane.box = plane;
    run_reference_v3<Update>(of_plane);
  });
}

/// One step after the other, of ghosts, too: on the host no halo comes while a launch runs.
template <int Radius>
void run_whole(const DomainArgsOf<Radius>& given, int radius) {
  DomainArgsOf<Radius> args = given;
  std::copy_n(args.phi, args.phi_layout.size, args.phi_next);
  args.phi = args.phi_next;
  run_reference_planes<MixedUpdate<float, Radius>>(args);
  add_source(args);
  if (args.slab.has_surface) {
    for (int y = args.box.begin.y; y < args.box.end.y; ++y) {
      for (int x = args.box.begin.x; x < args.box.end.x; ++x)
        OddImage<float>{args.layout, args.u_next, radius}({x, y, 0});
    }
  }
  args.u_before = std::exchange(args.u, args.u_next);
  args.u_next = args.u_second;
  run_reference_planes<MixedUpdate<float, Radius>>(args);
  args.shot.source_sample = args.shot.source_second;
  add_source(args);
}

template <class Update>
LaunchPlanner reference_planner() {
  return on_host<typename Update::Args>(run_reference_planes<Update>);
}

}  // namespace

LaunchPlanners reference_host_planners(int radius, Precision precision, Equation equation) {
  LaunchPlanners planners;
  with_built_stencil(precision, radius, [&]<class Real, int Radius>() {
    planners = planners_of_updates<Real, Radius>(equation,
                                                 []<class Update>() { return reference_planner<Update>(); });
    if constexpr (std::is_same_v<Real, float>) {
      if (equation == Equation::wave && radius <= stencil_radius)
        planners.whole = on_host<DomainArgsOf<Radius>>([=](const auto& args) { run_whole(args, radius); });
    }
  });
  return planners;
}

}  // namespace minimod
