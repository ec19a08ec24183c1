/// The twin of `reference` on the device: one thread a point, rows of 256 threads along x.
#include "kernels/device_launch.cuh"
#include "kernels/shapes/reference.hpp"

namespace minimod {

namespace {
constexpr int row_threads = 256;

template <class Update>
__global__ void reference_kernel(const __grid_constant__ typename Update::Args args) {
  const Index3 p =
      tile_point(args.box.begin, {row_threads, 1, 1}, DeviceBlock{}.index(), DeviceBlock{}.thread());
  if (!args.box.contains(p)) return;
  const Layout& at = args.layout;
  update_point<Update>(args, p,
                       MemoryStar<float>{args.u + at.index(p.x, p.y, p.z), at.stride_y, at.stride_z});
}

Extent3 blocks_of(const Box3& box) {
  return blocks_covering(box.extent(), {row_threads, 1, 1});
}

template <class Update>
LaunchFacts describe(const Box3& box, const Layout& /*at*/) {
  return describe_kernel(reference_kernel<Update>, blocks_of(box), row_threads);
}

template <class Update>
void launch(const StencilArgs<float>& args, void* stream) {
  if (args.box.empty()) return;
  reference_kernel<Update>
      <<<to_dim3(blocks_of(args.box)), row_threads, 0, static_cast<cudaStream_t>(stream)>>>(args);
  check(cudaGetLastError());
}
}  // namespace

Launches reference_device_launches() {
  return {launch<InnerUpdate<float>>,   launch<PmlUpdate<float>>,   launch<MixedUpdate<float>>,
          describe<InnerUpdate<float>>, describe<PmlUpdate<float>>, describe<MixedUpdate<float>>};
}

}  // namespace minimod
