/// Launches of steps whose points are not all wanted.
#include "src/solver/step_plan.hpp"

#include <catch2/catch_test_macros.hpp>

#include "kernels/registry.hpp"
#include "src/solver/schedules.hpp"

using namespace minimod;

namespace {

std::vector<Box3> boxes_of(BoundaryKind kind, const Schedule& schedule, const Box3& within) {
  const auto host = make_host_backend();
  const BoundarySpec spec = make_boundary_spec(kind, 4, false, 2000, 10);
  StepProblem problem{make_grid({40, 30, 36}, {10, 10, 10}, spec), spec};
  problem.within = within;
  const CodeShape& shape = find_shape("kokkos");
  std::vector<Box3> boxes;
  const StepPlan plan(*host, problem, {&shape, &shape, &schedule});
  for (const RegionLaunch& launch : plan.launches()) {
    if (!launch.box.empty()) boxes.push_back(launch.box);
  }
  return boxes;
}

}  // namespace

TEST_CASE("Launches are cut to the rows and planes of what is wanted", "[unit]") {
  const Box3 within{{9, 8, 7}, {30, 20, 25}};
  CHECK(boxes_of(BoundaryKind::cpml, sequence(), within) == std::vector<Box3>{{{0, 8, 7}, {40, 20, 25}}});
  CHECK(boxes_of(BoundaryKind::pml, sequence(), within) == std::vector<Box3>{{{4, 8, 7}, {36, 20, 25}}});
  const Box3 into_layer{{9, 8, 1}, {30, 20, 25}};
  CHECK(boxes_of(BoundaryKind::pml, sequence(), into_layer) ==
        std::vector<Box3>{{{4, 8, 4}, {36, 20, 25}}, {{0, 8, 1}, {40, 20, 4}}});
  CHECK(boxes_of(BoundaryKind::pml, whole_step(), within) == std::vector<Box3>{{{0, 0, 0}, {40, 30, 36}}});
}
