#include <algorithm>
#include <vector>

#include "kernels/device/launch_facts.cuh"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/device/cuda_gpu.cuh"
#include "src/device/cuda_peer_link.cuh"
#include "src/device/cuda_resources.cuh"
#include "src/device/sides/cuda_l2_sides.cuh"

namespace minimod {

namespace {

class CudaTimeMark final : public TimeMark {
 public:
  CudaTimeMark(const Gpu& gpu, cudaStream_t stream) : gpu_(gpu), stream_(stream) {}
  void set() override {
    gpu_.use();
    check(cudaEventRecord(event_.get(), stream_));
  }
  [[nodiscard]] double seconds_since(const TimeMark& earlier) const override {
    gpu_.use();
    float milliseconds = 0;
    event_.wait();
    check(cudaEventElapsedTime(&milliseconds, static_cast<const CudaTimeMark&>(earlier).event_.get(),
                               event_.get()));
    return milliseconds * 1e-3;
  }

 private:
  const Gpu& gpu_;
  cudaStream_t stream_;
  CudaEvent event_;
};

/// Whether launches over such a grid gain by the sides of the L2. On an H200 512³ gains 9 %, 364 x 300 x 212
/// and 320³ lose 6 %; where x is whole pairs of columns of chunks 256³ gains 6 % and 384³ 5 %.
bool gains_by_sides(Extent3 n) {
  constexpr std::int64_t large = 100'000'000, least = 16'000'000;
  return n.points() >= (n.x % (2 * ChunkLayout::width) == 0 ? least : large);
}

/// Each method makes its GPU the current one first: others may live beside it.
class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int index) : gpu_(index) {}
  ~CudaBackend() override { cudaSetDevice(gpu_.index()); }  // the members are released on it

  [[nodiscard]] DeviceInfo info() const override {
    int driver = 0, runtime = 0, clock_khz = 0;
    check(cudaDriverGetVersion(&driver));
    check(cudaRuntimeGetVersion(&runtime));
    check(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, gpu_.index()));
    return {gpu_kind,
            gpu_api::gpu_name(gpu_.properties()),
            gpu_.properties().multiProcessorCount,
            gpu_.properties().totalGlobalMem,
            gpu_api::most_shared_bytes(gpu_.properties()),
            static_cast<std::size_t>(gpu_.properties().l2CacheSize),
            gpu_api::capability(gpu_.properties()),
            gpu_api::code_name(gpu_.properties()),
            text(gpu_api::name, ' ', gpu_api::version_text(driver), " (runtime ",
                 gpu_api::version_text(runtime), ")"),
            gpu_.pci_bus_id(),
            "",
            clock_khz * 1e3,
            gpu_.properties().maxThreadsPerMultiProcessor / gpu_.properties().warpSize,
            gpu_.index(),
            gpu_.properties().warpSize};
  }

  [[nodiscard]] std::size_t free_bytes() const override {
    gpu_.use();
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total));
    return free;
  }

  /// Large allocations come in pages of 2 MiB.
  [[nodiscard]] std::size_t granted_bytes(std::size_t bytes) const override {
    const std::size_t unit = bytes < std::size_t{1} << 20U ? 512 : std::size_t{2} << 20U;
    return round_up(std::max<std::size_t>(bytes, 1), unit);
  }

  [[nodiscard]] L2Sides l2_sides(Extent3 n) const override {
    gpu_.use();
    return gains_by_sides(n) ? sides_.found() : L2Sides();
  }
  [[nodiscard]] FieldPages pages_of(void* memory, std::size_t bytes) const override {
    gpu_.use();
    return sides_.pages_of(memory, bytes);
  }

  void upload(void* to, const void* from, std::size_t bytes) override {
    copy_and_wait(to, from, bytes, cudaMemcpyHostToDevice);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    copy_and_wait(to, from, bytes, cudaMemcpyDeviceToHost);
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    gpu_.use();
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()));
  }

  void clear(void* memory, std::size_t bytes) override {
    gpu_.use();
    check(cudaMemsetAsync(memory, 0, bytes, stream()));
  }

  void fork(int lanes) override {
    gpu_.use();
    while (static_cast<int>(lanes_.size()) < lanes) lanes_.emplace_back();
    check(cudaEventRecord(forked_.get(), stream()));
    open_lanes_ = lanes;
    for (int i = 0; i < lanes; ++i) check(cudaStreamWaitEvent(lanes_[i].stream.get(), forked_.get()));
  }

  void join() override {
    gpu_.use();
    for (int i = 0; i < open_lanes_; ++i) {
      check(cudaEventRecord(lanes_[i].done.get(), lanes_[i].stream.get()));
      check(cudaStreamWaitEvent(stream(), lanes_[i].done.get()));
    }
    open_lanes_ = 0;
  }

  void replay(std::unique_ptr<LaunchGraph>& graph, const std::function<void()>& work) override {
    gpu_.use();
    if (graph == nullptr) graph = std::make_unique<CudaLaunchGraph>(stream(), work);
    static_cast<const CudaLaunchGraph&>(*graph).launch(stream());
  }

  [[nodiscard]] const LaunchPlanners& planners_of(const CodeShape& shape) const override {
    return shape.device;
  }
  [[nodiscard]] std::unique_ptr<PlannedLaunch> plan(const LaunchPlanner& plan,
                                                    const LaunchArgs& args) const override {
    gpu_.use();
    return plan(args);
  }
  void launch(PlannedLaunch& launch, const LaunchArgs& args, int lane) override {
    gpu_.use();
    launch.run(args, Stream(lane == 0 ? stream() : lanes_[lane - 1].stream.get()));
  }

  void on_stream(const std::function<void(Stream stream)>& work) override {
    gpu_.use();
    work(Stream(stream()));
  }

  [[nodiscard]] FieldKernels& field_kernels() override { return *field_kernels_; }
  [[nodiscard]] std::unique_ptr<TimeMark> make_time_mark() override {
    gpu_.use();
    return std::make_unique<CudaTimeMark>(gpu_, stream());
  }

  [[nodiscard]] StreamRates measure_stream_rates(Thoroughness thoroughness) override {
    gpu_.use();
    return measure_cuda_stream_rates(*this, stream(), thoroughness);
  }

  [[nodiscard]] std::vector<Ceiling> measure_ceilings() override {
    gpu_.use();
    return measure_cuda_ceilings(*this, stream());
  }

  void wait() override {
    gpu_.use();
    check(cudaStreamSynchronize(stream()));
  }
  void wait_for_others() override {
    gpu_.use();
    check(cudaDeviceSynchronize());
  }
  [[nodiscard]] std::unique_ptr<PeerLink> make_peer_link(std::size_t bytes) override {
    gpu_.use();
    return std::make_unique<CudaPeerLink>(*this, stream(), bytes);
  }
  [[nodiscard]] std::unique_ptr<StagingBuffer> make_staging_buffer(std::size_t bytes) override {
    gpu_.use();
    return std::make_unique<PinnedBuffer>(stream(), bytes);
  }

  void profile(bool on) override {
    gpu_.use();
    check(cudaDeviceSynchronize());
    check(on ? cudaProfilerStart() : cudaProfilerStop());
  }

 private:
  void copy_and_wait(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) const {
    gpu_.use();
    if (bytes > 0) check(cudaMemcpyAsync(to, from, bytes, kind, stream()));
    check(cudaStreamSynchronize(stream()));
  }

  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

  [[nodiscard]] void* take(std::size_t bytes) override {
    gpu_.use();
    void* memory = nullptr;
    check(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)));
    check(cudaMemsetAsync(memory, 0, bytes, stream()));
    return memory;
  }
  void give_back(void* memory) noexcept override {
    cudaSetDevice(gpu_.index());
    cudaFree(memory);
  }

  Gpu gpu_;  // first: the others are made on it
  CudaStream stream_{CudaStream::Priority::first};
  std::vector<CudaLane> lanes_;  ///< lanes beside lane 0
  CudaEvent forked_{CudaEvent::Kind::order};
  int open_lanes_ = 0;
  std::unique_ptr<FieldKernels> field_kernels_ = make_cuda_field_kernels(*this, gpu_, stream());
  mutable CudaL2Sides sides_{*this, gpu_, stream()};
};

DevicesFound find_gpus() {
  int count = 0, driver = 0, runtime = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return {count, ""};
  cudaGetLastError();
  if (status == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0 &&
      cudaRuntimeGetVersion(&runtime) == cudaSuccess) {
    return {0, text("the driver supports ", gpu_api::name, ' ', gpu_api::version_text(driver),
                    ", the program needs ", gpu_api::version_text(runtime))};
  }
  if (status == cudaErrorInsufficientDriver)
    return {0, text("there is no ", gpu_api::vendor, " driver on this machine")};
  if (status == cudaErrorNoDevice) return {0, text("there is no ", gpu_api::vendor, " GPU on this machine")};
  return {0, text(gpu_api::name, " finds no GPU: ", cudaGetErrorString(status))};
}

std::unique_ptr<Backend> make_gpu_backend(int index) {
  const DevicesFound devices = find_gpus();
  if (devices.count == 0)
    throw Error(ErrorKind::unavailable, devices.why_none, text("use ", option("device"), " cpu"));
  if (index >= devices.count) {
    throw Error(ErrorKind::unavailable, text("there is no GPU ", index, ", only ", devices.count),
                text("number GPUs from 0 to ", devices.count - 1));
  }
  return std::make_unique<CudaBackend>(index);
}

void leave_gpu(int index) noexcept {
  if (cudaSetDevice(index) == cudaSuccess) cudaDeviceReset();
  cudaGetLastError();  // a fault of the GPU is told by who uses it
}

/// No constant expression, which hipcc would have on the device, too.
DeviceKind kind_of_gpus() {
  return {gpu_kind, find_gpus, make_gpu_backend, leave_gpu};
}

}  // namespace

const DeviceKind gpu_devices = kind_of_gpus();

}  // namespace minimod
