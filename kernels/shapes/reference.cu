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

template <class Update>
class ReferenceLaunch final : public PlannedLaunch {
 public:
  explicit ReferenceLaunch(const LaunchArgs<>& args)
      : facts_(prepare({reinterpret_cast<const void*>(reference_kernel<Update>),
                        blocks_covering(args.box.extent(), {row_threads, 1, 1}), row_threads},
                       "reference")) {}

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  void run(const LaunchArgs<>& args, void* stream) override {
    reference_kernel<Update><<<to_dim3(facts_.blocks), row_threads, 0, static_cast<cudaStream_t>(stream)>>>(
        StencilArgs<float>(args));
    check_launch();
  }

 private:
  LaunchFacts facts_;
};

template <class Update>
std::unique_ptr<PlannedLaunch> plan(const LaunchArgs<>& args) {
  return std::make_unique<ReferenceLaunch<Update>>(args);
}
}  // namespace

Launches reference_device_launches() {
  Launches launches;
  launches.inner = plan<InnerUpdate<float>>;
  launches.pml = plan<PmlUpdate<float>>;
  launches.mixed = plan<MixedUpdate<float>>;
  return launches;
}

}  // namespace minimod
