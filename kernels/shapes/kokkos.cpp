#include "kernels/shapes/kokkos.hpp"

namespace minimod {

namespace {
template <class Update>
void launch(const StencilArgs<float>& args, void* /*stream*/) {
  run_kokkos<Update, Kokkos::DefaultHostExecutionSpace>(args);
}
}  // namespace

Launches kokkos_host_launches() {
  return {launch<InnerUpdate<float>>, launch<PmlUpdate<float>>, nullptr, nullptr};
}

}  // namespace minimod
