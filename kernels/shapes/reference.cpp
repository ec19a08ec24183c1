#include "kernels/shapes/reference.hpp"

namespace minimod {

namespace {
template <class Update>
void launch(const StencilArgs<float>& args, void* /*stream*/) {
  run_reference<Update>(args);
}
}  // namespace

Launches reference_host_launches() {
  return {launch<InnerUpdate<float>>, launch<PmlUpdate<float>>, nullptr, nullptr};
}

}  // namespace minimod
