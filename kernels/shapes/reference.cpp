#include "kernels/shapes/reference.hpp"

namespace minimod {

namespace {
template <class Update>
void launch(const StencilArgs<float>& args, void* /*stream*/) {
  run_reference<Update>(args);
}
}  // namespace

Launches reference_host_launches() {
  Launches launches;
  launches.inner = launch<InnerUpdate<float>>;
  launches.pml = launch<PmlUpdate<float>>;
  launches.mixed = launch<MixedUpdate<float>>;
  return launches;
}

}  // namespace minimod
