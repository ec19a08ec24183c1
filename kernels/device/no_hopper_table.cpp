/// Stands in for the planners of the shapes that need compute capability 9.0, in a build without code for it.
#include "kernels/rings/equation_ring.hpp"
#include "kernels/rings/tma_ring.hpp"
#include "kernels/whole/whole_planners.hpp"

namespace minimod {

std::array<LaunchPlanners, TmaRingList::size> tma_ring_planners() {
  return {};
}
LaunchPlanners tma_ring_planners(int, Precision) {
  return {};
}
LaunchPlanners equation_ring_planners(Equation, int, Precision) {
  return {};
}
std::array<LaunchPlanners, TmaWholeList::size> tma_whole_planners() {
  return {};
}
std::array<LaunchPlanners, TmaWholeStepList::size> tma_whole_step_planners() {
  return {};
}
std::array<LaunchPlanners, TmaWholeList::size> tma_whole_planners(int) {
  return {};
}
std::array<LaunchPlanners, TmaWholeStepList::size> tma_whole_step_planners(int) {
  return {};
}

}  // namespace minimod
