#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <cuda_profiler_api.h>

#include "boundary/cpml_shapes.hpp"
#include "kernels/device/device_block.cuh"
#include "kernels/device/launch_facts.cuh"
#include "src/base/error.hpp"
#include "src/device/cuda_field_kernels.cuh"
#include "src/device/cuda_gpu.cuh"
#include "src/device/cuda_peer_link.cuh"
#include "src/device/cuda_resources.cuh"

namespace minimod {

namespace {

std::string version_text(int version) {
  return text(version / 1000, '.', version % 1000 / 10);
}

/// Gathers the points behind the launches, and copies them beside those that follow.
class CudaFieldReader final : public FieldReader {
 public:
  CudaFieldReader(Backend& backend, const Gpu& gpu, cudaStream_t launches, const Grid& grid,
                  const Lattice& points)
      : gpu_(gpu),
        launches_(launches),
        at_(grid.layout),
        points_(points),
        gathered_(backend, points.n.points(), grid.precision),
        values_(gathered_.bytes()) {}
  CudaFieldReader(const CudaFieldReader&) = delete;
  CudaFieldReader& operator=(const CudaFieldReader&) = delete;
  ~CudaFieldReader() override {
    cudaSetDevice(gpu_.index());
    cudaStreamSynchronize(copies_.get());
  }

  void start(RealsAt field) override {
    gpu_.use();
    with_real(field.precision, [&]<class Real>() {
      read_points<<<gpu_.properties().multiProcessorCount * 8, block_threads, 0, launches_>>>(
          gathered_.at().of<Real>(), field.of<Real>(), at_, points_);
    });
    check_launch();
    check(cudaEventRecord(is_gathered_.get(), launches_));
    check(cudaStreamWaitEvent(copies_.get(), is_gathered_.get()));
    check(cudaMemcpyAsync(values_.values().data(), gathered_.data(), values_.values().size_bytes(),
                          cudaMemcpyDeviceToHost, copies_.get()));
    check(cudaEventRecord(is_copied_.get(), copies_.get()));
  }

  [[nodiscard]] std::span<const std::byte> wait() override {
    gpu_.use();
    is_copied_.wait();
    return values_.values();
  }

 private:
  const Gpu& gpu_;
  cudaStream_t launches_;
  Layout at_;
  Lattice points_;
  DeviceReals gathered_;
  PinnedArray<std::byte> values_;
  CudaStream copies_{CudaStream::Priority::second};
  CudaEvent is_gathered_{CudaEvent::Kind::order}, is_copied_{CudaEvent::Kind::order};
};

/// Each method makes its GPU the current one first: others may live beside it.
class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int index) : gpu_(index) {}
  ~CudaBackend() override { cudaSetDevice(gpu_.index()); }  // of which the members are released

  [[nodiscard]] DeviceInfo info() const override {
    int driver = 0, runtime = 0, clock_khz = 0;
    check(cudaDriverGetVersion(&driver));
    check(cudaRuntimeGetVersion(&runtime));
    check(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, gpu_.index()));
    return {"cuda",
            gpu_.properties().name,
            gpu_.properties().multiProcessorCount,
            gpu_.properties().totalGlobalMem,
            gpu_.properties().sharedMemPerBlockOptin,
            static_cast<std::size_t>(gpu_.properties().l2CacheSize),
            {gpu_.properties().major, gpu_.properties().minor},
            text("CUDA ", version_text(driver), " (runtime ", version_text(runtime), ")"),
            gpu_.pci_bus_id(),
            "",
            clock_khz * 1e3,
            gpu_.properties().maxThreadsPerMultiProcessor / gpu_.properties().warpSize};
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
    return (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
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

  [[nodiscard]] const Launches& launches_of(const CodeShape& shape) const override { return shape.device; }
  [[nodiscard]] std::unique_ptr<PlannedLaunch> plan(const PlanLaunch& plan,
                                                    const LaunchArgs& args) const override {
    gpu_.use();
    return plan(args);
  }
  void launch(PlannedLaunch& launch, const LaunchArgs& args, int lane) override {
    gpu_.use();
    launch.run(args, lane == 0 ? stream() : lanes_[lane - 1].stream.get());
  }

  void on_stream(const std::function<void(void* stream)>& work) override {
    gpu_.use();
    work(stream());
  }

  void for_each_point(const Box3& box, const PointWork& work) override {
    gpu_.use();
    if (box.empty()) return;
    const std::int64_t groups = (std::int64_t{box.extent().y} * box.extent().z + work_rows - 1) / work_rows;
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(groups, std::int64_t{1} << 20));
    const auto run = [&](const auto& on_point) {
      run_work<<<blocks, dim3(work_columns, work_rows), 0, stream()>>>(box, on_point);
    };
    std::visit(run, work);
    check_launch();
  }

  void correct(const CpmlWork& work) override {
    gpu_.use();
    std::visit(
        [&](const auto& pass) {
          if (pass.box.empty()) return;
          with_device_shape(pass, [&]<class Shape>() {
            static_assert(dynamic_shared_bytes<Shape> == 0);
            const dim3 blocks = to_dim3(launch_blocks<Shape>(pass.box)), threads = to_dim3(Shape::threads);
            code_shape<Shape, std::decay_t<decltype(pass)>><<<blocks, threads, 0, stream()>>>(pass);
            check_launch();
          });
        },
        work);
  }

  void inject(RealsAt field, const SourceNodes& shares, RealsAt samples) override {
    gpu_.use();
    with_real(field.precision, [&]<class Real>() {
      inject_sample<<<blocks_for(shares.count), block_threads, 0, stream()>>>(field.of<Real>(), shares,
                                                                              samples.of<Real>());
    });
    check_launch();
  }

  void record(RealsAt row, RealsAt field, const std::int64_t* nodes, int count) override {
    gpu_.use();
    if (count == 0) return;
    with_real(field.precision, [&]<class Real>() {
      record_nodes<<<blocks_for(count), block_threads, 0, stream()>>>(row.of<Real>(), field.of<Real>(), nodes,
                                                                      count);
    });
    check_launch();
  }

  void record(RealsAt row, RealsAt field, const Layout& at, const NodeWeights* receivers,
              int count) override {
    gpu_.use();
    if (count == 0) return;
    with_real(field.precision, [&]<class Real>() {
      record_between_nodes<<<blocks_for(count), block_threads, 0, stream()>>>(
          row.of<Real>(), field.of<Real>(), at, receivers, count);
    });
    check_launch();
  }

  [[nodiscard]] std::unique_ptr<FieldReader> make_reader(const Grid& grid, const Lattice& points) override {
    gpu_.use();
    return std::make_unique<CudaFieldReader>(*this, gpu_, stream(), grid, points);
  }

  void randomize(RealsAt field, const Grid& grid, std::uint32_t seed) override {
    gpu_.use();
    with_real(field.precision, [&]<class Real>() {
      randomize_rows<<<gpu_.properties().multiProcessorCount * 8, block_threads, 0, stream()>>>(
          field.of<Real>(), grid, seed);
    });
    check_launch();
  }

  void mark(int slot) override {
    gpu_.use();
    check(cudaEventRecord(marks_[slot].get(), stream()));
  }

  [[nodiscard]] double seconds_between(int first, int second) override {
    gpu_.use();
    float milliseconds = 0;
    check(cudaEventSynchronize(marks_[second].get()));
    check(cudaEventElapsedTime(&milliseconds, marks_[first].get(), marks_[second].get()));
    return milliseconds * 1e-3;
  }

  [[nodiscard]] Extremes extremes(RealsAt field, const Layout& at, const Box3& box) override {
    gpu_.use();
    std::vector<Extremes> partial(gpu_.properties().multiProcessorCount * 8);
    const DeviceArray<Extremes> results(*this, partial.size());
    with_real(field.precision, [&]<class Real>() {
      block_extremes<<<static_cast<unsigned>(partial.size()), block_threads, 0, stream()>>>(
          field.of<Real>(), at, box, results.data());
    });
    check_launch();
    download(partial.data(), results.data(), partial.size() * sizeof(Extremes));
    Extremes found = partial.front();
    for (const Extremes& part : partial) {
      found = {std::min(found.min, part.min), std::max(found.max, part.max), found.finite && part.finite};
    }
    return found;
  }

  void start_peak(RealsAt field, const Layout& at, const Box3& box) override {
    gpu_.use();
    const std::span<Peak> peaks = block_peaks_.values();
    with_real(field.precision, [&]<class Real>() {
      block_peaks<<<static_cast<unsigned>(peaks.size()), block_threads, 0, stream()>>>(field.of<Real>(), at,
                                                                                       box, peaks.data());
    });
    check_launch();
    check(cudaEventRecord(peak_found_.get(), stream()));
    peak_started_ = true;
  }

  [[nodiscard]] std::optional<Peak> take_peak(bool wait) override {
    gpu_.use();
    if (wait) peak_found_.wait();
    if (!peak_started_ || !peak_found_.is_over()) return std::nullopt;
    peak_started_ = false;
    return *std::ranges::max_element(block_peaks_.values(), {}, &Peak::bits);
  }

  [[nodiscard]] StreamRates measure_stream_rates(Patience patience) override {
    gpu_.use();
    return measure_cuda_stream_rates(*this, stream(), patience);
  }

  [[nodiscard]] std::vector<Ceiling> measure_ceilings() override {
    gpu_.use();
    return measure_cuda_ceilings(*this, stream());
  }

  void wait() override {
    gpu_.use();
    check(cudaStreamSynchronize(stream()));
  }
  [[nodiscard]] std::unique_ptr<PeerLink> make_peer_link(std::size_t bytes) override {
    gpu_.use();
    return std::make_unique<CudaPeerLink>(*this, stream(), bytes);
  }
  [[nodiscard]] std::unique_ptr<HostRoom> make_host_room(std::size_t bytes) override {
    gpu_.use();
    return std::make_unique<PinnedRoom>(stream(), bytes);
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

  static int blocks_for(int threads) { return (threads + block_threads - 1) / block_threads; }

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
  std::array<CudaEvent, mark_slots> marks_;
  std::vector<CudaLane> lanes_;  ///< those beside lane 0
  CudaEvent forked_{CudaEvent::Kind::order};
  int open_lanes_ = 0;
  PinnedArray<Peak> block_peaks_{std::size_t(gpu_.properties().multiProcessorCount) * peak_blocks};
  CudaEvent peak_found_{CudaEvent::Kind::order};
  bool peak_started_ = false;
};

}  // namespace

CudaDevices find_cuda_devices() {
  int count = 0, driver = 0, runtime = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return {count, ""};
  cudaGetLastError();
  if (status == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0 &&
      cudaRuntimeGetVersion(&runtime) == cudaSuccess) {
    return {0, text("the driver supports CUDA ", version_text(driver), ", the program needs ",
                    version_text(runtime))};
  }
  if (status == cudaErrorInsufficientDriver) return {0, "there is no NVIDIA driver on this machine"};
  if (status == cudaErrorNoDevice) return {0, "there is no NVIDIA GPU on this machine"};
  return {0, text("CUDA finds no GPU: ", cudaGetErrorString(status))};
}

std::unique_ptr<Backend> make_cuda_backend(int index) {
  const CudaDevices devices = find_cuda_devices();
  if (devices.count == 0) throw Error(ExitCode::unavailable, devices.why_none, "use --device cpu");
  if (index >= devices.count) {
    throw Error(ExitCode::unavailable, text("there is no GPU ", index, ", only ", devices.count),
                text("use --device cuda:0 to cuda:", devices.count - 1));
  }
  return std::make_unique<CudaBackend>(index);
}

void leave_cuda_device(int index) noexcept {
  if (cudaSetDevice(index) == cudaSuccess) cudaDeviceReset();
  cudaGetLastError();  // what is wrong with the GPU is told by who uses it
}

}  // namespace minimod
