#include "kernels/shapes/reference_planes.hpp"

namespace minimod {

Launches reference_host_launches() {
  Launches launches;
  launches.inner = unplanned(run_reference_planes<InnerUpdate<float>>);
  launches.pml = unplanned(run_reference_planes<PmlUpdate<float>>);
  launches.mixed = unplanned(run_reference_planes<MixedUpdate<float>>);
  return launches;
}

}  // namespace minimod
