/// The twin of `reference` on the device: one thread a point, rows of 256 threads along x.
#include "kernels/cores/reference.hpp"
#include "kernels/device/device_launch.cuh"
#include "kernels/shapes/gmem.hpp"

namespace minimod {

namespace {
template <class Update>
struct Rows : Gmem<Update, 256, 1, 1> {
  static constexpr const char* family = "reference";
};
}  // namespace

LaunchPlanners reference_device_planners() {
  LaunchPlanners planners;
  planners.inner = plan_on_device<Rows<InnerUpdate<float>>>;
  planners.pml = plan_on_device<Rows<PmlUpdate<float>>>;
  planners.mixed = plan_on_device<Rows<MixedUpdate<float>>>;
  return planners;
}

}  // namespace minimod
