#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <cuda_profiler_api.h>

#include "kernels/cuda_check.cuh"
#include "kernels/random_field.hpp"
#include "src/base/error.hpp"
#include "src/device/backend.hpp"

namespace minimod {

namespace {

constexpr int block_threads = 256;

__global__ void inject_sample(float* field, SourceNodes source, const float* sample) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < source.count) field[source.nodes[i]] += source.weights[i] * *sample;
}

__global__ void record_between_nodes(float* row, const float* field, Layout at, const NodeWeights* receivers,
                                     int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) row[i] = receivers[i].value(field, at);
}

constexpr unsigned work_columns = 32, work_rows = 8;  // threads of a block along x, and rows at once

/// A block takes groups of rows of the box.
template <class Work>
__global__ void run_work(Box3 box, const __grid_constant__ Work work) {
  const Extent3 n = box.extent();
  const std::int64_t rows = std::int64_t{n.y} * n.z;
  for (std::int64_t row = std::int64_t{blockIdx.x} * work_rows + threadIdx.y; row < rows;
       row += std::int64_t{gridDim.x} * work_rows) {
    const int y = box.begin.y + static_cast<int>(row % n.y), z = box.begin.z + static_cast<int>(row / n.y);
    for (int x = box.begin.x + static_cast<int>(threadIdx.x); x < box.end.x; x += work_columns) {
      work({x, y, z});
    }
  }
}

__global__ void record_nodes(float* row, const float* field, const std::int64_t* nodes, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) row[i] = field[nodes[i]];
}

/// A block takes row after row of the box.
__global__ void randomize_rows(float* field, Layout at, Box3 box, std::uint32_t seed) {
  const Extent3 n = box.extent();
  for (std::int64_t row = blockIdx.x; row < std::int64_t{n.y} * n.z; row += gridDim.x) {
    const int y = box.begin.y + static_cast<int>(row % n.y), z = box.begin.z + static_cast<int>(row / n.y);
    for (int x = box.begin.x + static_cast<int>(threadIdx.x); x < box.end.x; x += blockDim.x) {
      field[at.index(x, y, z)] = random_value(seed, x, y, z);
    }
  }
}

__global__ void stream_copy(float4* to, const float4* from) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

__global__ void stream_three_reads_one_write(float4* to, const float4* a, const float4* b, const float4* c) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float4 x = a[i], y = b[i], z = c[i];
  to[i] = {fmaf(x.x, y.x, z.x), fmaf(x.y, y.y, z.y), fmaf(x.z, y.z, z.z), fmaf(x.w, y.w, z.w)};
}

__device__ Extremes merge(const Extremes& a, const Extremes& b) {
  return {fminf(a.min, b.min), fmaxf(a.max, b.max), a.finite && b.finite};
}

/// One result a block, over the rows that the block takes in turn.
__global__ void block_extremes(const float* field, Layout at, Box3 box, Extremes* results) {
  Extremes mine{INFINITY, -INFINITY, true};
  const Extent3 n = box.extent();
  for (std::int64_t row = blockIdx.x; row < std::int64_t{n.y} * n.z; row += gridDim.x) {
    const float* values = field + at.index(box.begin.x, box.begin.y + static_cast<int>(row % n.y),
                                           box.begin.z + static_cast<int>(row / n.y));
    for (int x = threadIdx.x; x < n.x; x += blockDim.x) {
      mine = merge(mine, {values[x], values[x], isfinite(values[x]) != 0});
    }
  }
  __shared__ Extremes shared[block_threads];
  shared[threadIdx.x] = mine;
  for (int half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) shared[threadIdx.x] = merge(shared[threadIdx.x], shared[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) results[blockIdx.x] = shared[0];
}

std::string version_text(int version) {
  return text(version / 1000, '.', version % 1000 / 10);
}

/// Refuses a GPU for which the binary holds neither machine code nor PTX.
void check_has_code(const cudaDeviceProp& properties) {
  cudaFuncAttributes attributes;
  const cudaError_t status = cudaFuncGetAttributes(&attributes, record_nodes);
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction ||
      status == cudaErrorUnsupportedPtxVersion) {
    throw Error(ExitCode::unavailable,
                text("no code for ", properties.name, " (sm_", properties.major, properties.minor,
                     ") in this program, built for ", MINIMOD_CUDA_ARCHITECTURES),
                "configure with -DCMAKE_CUDA_ARCHITECTURES for this GPU, or use --device cpu");
  }
  check(status);
}

/// An event that only orders work.
class OrderEvent {
 public:
  OrderEvent() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  OrderEvent(OrderEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  OrderEvent& operator=(OrderEvent&&) = delete;
  ~OrderEvent() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// A stream beside the main one, whose blocks go first where both have some.
class Lane {
 public:
  Lane() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Lane(Lane&& other) noexcept
      : stream_(std::exchange(other.stream_, nullptr)), done_(std::move(other.done_)) {}
  Lane& operator=(Lane&&) = delete;
  ~Lane() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  [[nodiscard]] cudaEvent_t done() const { return done_.get(); }

 private:
  cudaStream_t stream_ = nullptr;
  OrderEvent done_;
};

/// A graph takes one call of the driver where its launches, forks and joins take one each, which at 256^3
/// points is more than the GPU needs for a step. The priorities of its lanes hold.
class CudaLaunchGraph final : public LaunchGraph {
 public:
  CudaLaunchGraph(cudaStream_t stream, const std::function<void()>& work) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    cudaGraph_t captured = nullptr;
    try {
      work();
    } catch (...) {
      cudaStreamEndCapture(stream, &captured);
      if (captured != nullptr) cudaGraphDestroy(captured);
      cudaGetLastError();  // that the capture came to nothing is no news
      throw;
    }
    check(cudaStreamEndCapture(stream, &captured));
    const cudaError_t status =
        cudaGraphInstantiateWithFlags(&graph_, captured, cudaGraphInstantiateFlagUseNodePriority);
    cudaGraphDestroy(captured);
    check(status);
  }
  ~CudaLaunchGraph() override { cudaGraphExecDestroy(graph_); }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(graph_, stream)); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int index) {
    check(cudaSetDevice(index));
    check(cudaGetDeviceProperties(&properties_, index));
    check_has_code(properties_);
    check(cudaDeviceGetPCIBusId(pci_bus_id_, sizeof pci_bus_id_, index));
    int lowest = 0, highest = 0;
    check(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, highest));
    for (cudaEvent_t& event : marks_) check(cudaEventCreate(&event));
  }
  ~CudaBackend() override {
    for (cudaEvent_t event : marks_) cudaEventDestroy(event);
    cudaStreamDestroy(stream_);
  }

  [[nodiscard]] DeviceInfo info() const override {
    int driver = 0, runtime = 0;
    check(cudaDriverGetVersion(&driver));
    check(cudaRuntimeGetVersion(&runtime));
    return {"cuda",
            properties_.name,
            properties_.multiProcessorCount,
            properties_.totalGlobalMem,
            properties_.sharedMemPerBlockOptin,
            static_cast<std::size_t>(properties_.l2CacheSize),
            text(properties_.major, '.', properties_.minor),
            text("CUDA ", version_text(driver), " (runtime ", version_text(runtime), ")"),
            pci_bus_id_};
  }

  [[nodiscard]] std::size_t free_bytes() const override {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total));
    return free;
  }

  [[nodiscard]] void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    check(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)));
    check(cudaMemsetAsync(memory, 0, bytes, stream_));
    return memory;
  }

  void release(void* memory) noexcept override { cudaFree(memory); }

  void upload(void* to, const void* from, std::size_t bytes) override {
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
    check(cudaStreamSynchronize(stream_));
  }

  void download(void* to, const void* from, std::size_t bytes) override {
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));
  }

  void clear(void* memory, std::size_t bytes) override { check(cudaMemsetAsync(memory, 0, bytes, stream_)); }

  void fork(int lanes) override {
    while (static_cast<int>(lanes_.size()) < lanes) lanes_.emplace_back();
    check(cudaEventRecord(forked_.get(), stream_));
    open_lanes_ = lanes;
    for (int i = 0; i < lanes; ++i) check(cudaStreamWaitEvent(lanes_[i].stream(), forked_.get()));
  }

  void join() override {
    for (int i = 0; i < open_lanes_; ++i) {
      check(cudaEventRecord(lanes_[i].done(), lanes_[i].stream()));
      check(cudaStreamWaitEvent(stream_, lanes_[i].done()));
    }
    open_lanes_ = 0;
  }

  void replay(std::unique_ptr<LaunchGraph>& graph, const std::function<void()>& work) override {
    if (graph == nullptr) graph = std::make_unique<CudaLaunchGraph>(stream_, work);
    static_cast<const CudaLaunchGraph&>(*graph).launch(stream_);
  }

  [[nodiscard]] const Launches& launches_of(const CodeShape& shape) const override { return shape.device; }
  void launch(Launch work, const StencilArgs<float>& args, int lane) override {
    work(args, lane == 0 ? stream_ : lanes_[lane - 1].stream());
  }

  void for_each_point(const Box3& box, const PointWork& work) override {
    if (box.empty()) return;
    const std::int64_t groups = (std::int64_t{box.extent().y} * box.extent().z + work_rows - 1) / work_rows;
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(groups, std::int64_t{1} << 20));
    const auto run = [&](const auto& on_point) {
      run_work<<<blocks, dim3(work_columns, work_rows), 0, stream_>>>(box, on_point);
    };
    std::visit(run, work);
    check(cudaGetLastError());
  }

  void inject(float* field, const SourceNodes& source, const float* sample) override {
    inject_sample<<<blocks_for(source.count), block_threads, 0, stream_>>>(field, source, sample);
    check(cudaGetLastError());
  }

  void record(float* row, const float* field, const std::int64_t* nodes, int count) override {
    if (count == 0) return;
    record_nodes<<<blocks_for(count), block_threads, 0, stream_>>>(row, field, nodes, count);
    check(cudaGetLastError());
  }

  void record(float* row, const float* field, const Layout& at, const NodeWeights* receivers,
              int count) override {
    if (count == 0) return;
    record_between_nodes<<<blocks_for(count), block_threads, 0, stream_>>>(row, field, at, receivers, count);
    check(cudaGetLastError());
  }

  void randomize(float* field, const Layout& at, const Box3& box, std::uint32_t seed) override {
    randomize_rows<<<properties_.multiProcessorCount * 8, block_threads, 0, stream_>>>(field, at, box, seed);
    check(cudaGetLastError());
  }

  void mark(int slot) override { check(cudaEventRecord(marks_[slot], stream_)); }

  [[nodiscard]] double seconds_between(int first, int second) override {
    float milliseconds = 0;
    check(cudaEventSynchronize(marks_[second]));
    check(cudaEventElapsedTime(&milliseconds, marks_[first], marks_[second]));
    return milliseconds * 1e-3;
  }

  [[nodiscard]] Extremes extremes(const float* field, const Layout& at, const Box3& box) override {
    std::vector<Extremes> partial(properties_.multiProcessorCount * 8);
    const DeviceArray<Extremes> results(*this, partial.size());
    block_extremes<<<static_cast<unsigned>(partial.size()), block_threads, 0, stream_>>>(field, at, box,
                                                                                         results.data());
    check(cudaGetLastError());
    download(partial.data(), results.data(), partial.size() * sizeof(Extremes));
    Extremes found = partial.front();
    for (const Extremes& part : partial) {
      found = {std::min(found.min, part.min), std::max(found.max, part.max), found.finite && part.finite};
    }
    return found;
  }

  [[nodiscard]] StreamRates measure_stream_rates() override {
    // Far larger than the L2, and no more than a part of what is free.
    const std::size_t wanted = std::min<std::size_t>(std::size_t{1} << 30U, free_bytes() / 8);
    const std::size_t vectors = wanted / sizeof(float4) / block_threads * block_threads;
    const DeviceArray<float4> a(*this, vectors), b(*this, vectors), c(*this, vectors), d(*this, vectors);
    const auto blocks = static_cast<unsigned>(vectors / block_threads);
    const double copy =
        best_seconds([&] { stream_copy<<<blocks, block_threads, 0, stream_>>>(a.data(), b.data()); });
    const double mix = best_seconds([&] {
      stream_three_reads_one_write<<<blocks, block_threads, 0, stream_>>>(a.data(), b.data(), c.data(),
                                                                          d.data());
    });
    const double array = vectors * sizeof(float4) * 1e-9;
    return {2 * array / copy, 4 * array / mix};
  }

  [[nodiscard]] std::vector<Ceiling> measure_ceilings() override {
    return measure_cuda_ceilings(*this, stream_);
  }

  void profile(bool on) override {
    check(cudaDeviceSynchronize());
    check(on ? cudaProfilerStart() : cudaProfilerStop());
  }

 private:
  static int blocks_for(int threads) { return (threads + block_threads - 1) / block_threads; }

  template <class Work>
  double best_seconds(const Work& work) {
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i < 10; ++i) {
      mark(mark_slots - 2);
      work();
      check(cudaGetLastError());
      mark(mark_slots - 1);
      best = std::min(best, seconds_between(mark_slots - 2, mark_slots - 1));
    }
    return best;
  }

  cudaDeviceProp properties_{};
  char pci_bus_id_[16] = "";
  cudaStream_t stream_ = nullptr;
  std::array<cudaEvent_t, mark_slots> marks_{};
  std::vector<Lane> lanes_;  ///< those beside lane 0
  OrderEvent forked_;
  int open_lanes_ = 0;
};

}  // namespace

CudaDevices find_cuda_devices() {
  int count = 0, driver = 0, runtime = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return {count, ""};
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

}  // namespace minimod
