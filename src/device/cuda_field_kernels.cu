#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "boundary/cpml/cpml_shapes.hpp"
#include "boundary/point_work.cuh"
#include "kernels/device/device_block.cuh"
#include "kernels/device/launch_facts.cuh"
#include "kernels/random_field.hpp"
#include "src/device/cuda_gpu.cuh"
#include "src/device/cuda_resources.cuh"
#include "src/device/field_kernels.hpp"

namespace minimod {

namespace {

constexpr int block_threads = 256;

template <class Real, class At>
__global__ void inject_sample(Real* field, At at, SourceNodes shares, const Real* samples) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < shares.count) inject_at(field, at, shares, i, samples);
}

constexpr int most_rows = most_weights * most_weights;  // rows of nodes around a receiver
constexpr int threads_of_receiver = 64;
constexpr int receivers_of_block = block_threads / threads_of_receiver;

/// Threads have rows of nodes around a receiver, and the first one adds them up in their order.
template <class Real, class At>
__global__ void record_between_nodes(Real* row, const Real* field, At at, const NodeWeights* receivers,
                                     int count) {
  __shared__ Real factors[receivers_of_block][most_rows], values[receivers_of_block][most_rows];
  const int mine = threadIdx.x / threads_of_receiver, first = threadIdx.x % threads_of_receiver,
            i = blockIdx.x * receivers_of_block + mine;
  const int rows = i < count ? receivers[i].rows() : 0;
  for (int r = first; r < rows; r += threads_of_receiver) {
    factors[mine][r] = receivers[i].factor<Real>(r);
    values[mine][r] = receivers[i].row(field, at, r);
  }
  __syncthreads();
  if (i >= count || first > 0) return;
  Real sum = 0;
  for (int k = 0; k < rows; ++k) sum += factors[mine][k] * values[mine][k];
  row[i] = sum;
}

template <class Real, class At>
__global__ void record_nodes(Real* row, const Real* field, At at, const std::int64_t* nodes, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) row[i] = field[at.placed(nodes[i])];
}

/// A block takes row after row.
template <class Real, class At>
__global__ void read_points(Real* values, const Real* field, At at, Lattice points) {
  const Extent3 n = points.n;
  for (std::int64_t row = blockIdx.x; row < std::int64_t{n.y} * n.z; row += gridDim.x) {
    const Index3 from = points.at(0, static_cast<int>(row % n.y), static_cast<int>(row / n.y));
    for (int x = static_cast<int>(threadIdx.x); x < n.x; x += blockDim.x) {
      values[row * n.x + x] = field[at.index(from.x + x * points.stride.x, from.y, from.z)];
    }
  }
}

/// A block takes row after row.
template <class Real, class At>
__global__ void randomize_rows(Real* field, At at, Extent3 n, int first_z, std::uint32_t seed) {
  for (std::int64_t row = blockIdx.x; row < std::int64_t{n.y} * n.z; row += gridDim.x) {
    const int y = static_cast<int>(row % n.y), z = static_cast<int>(row / n.y);
    for (int x = static_cast<int>(threadIdx.x); x < n.x; x += blockDim.x) {
      field[at.index(x, y, z)] = random_value(seed, x, y, z + first_z);
    }
  }
}

__device__ Extremes merge(const Extremes& a, const Extremes& b) {
  return {fmin(a.min, b.min), fmax(a.max, b.max), a.finite && b.finite};
}

__device__ Peak merge(const Peak& a, const Peak& b) {
  return b.bits > a.bits ? b : a;
}

/// Values of a block's threads in shared memory, where HIP has no others.
template <class T>
union Unconstructed {
  T values[block_threads];
  __device__ Unconstructed() {}
};

/// The merged values of a block's threads, for its first thread.
template <class T>
__device__ T merge_block(const T& mine) {
  __shared__ Unconstructed<T> memory;
  T* const shared = memory.values;
  shared[threadIdx.x] = mine;
  for (int half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) shared[threadIdx.x] = merge(shared[threadIdx.x], shared[threadIdx.x + half]);
  }
  return shared[0];
}

/// One result a block, over the rows that the block takes in turn.
template <class Real, class At>
__global__ void block_extremes(const Real* field, At at, Box3 box, Extremes* results) {
  Extremes mine{INFINITY, -INFINITY, true};
  const Extent3 n = box.extent();
  for (std::int64_t row = blockIdx.x; row < std::int64_t{n.y} * n.z; row += gridDim.x) {
    const int y = box.begin.y + static_cast<int>(row % n.y), z = box.begin.z + static_cast<int>(row / n.y);
    for (int x = box.begin.x + static_cast<int>(threadIdx.x); x < box.end.x; x += blockDim.x) {
      const Real value = field[at.index(x, y, z)];
      mine = merge(mine, {value, value, isfinite(value) != 0});
    }
  }
  const Extremes found = merge_block(mine);
  if (threadIdx.x == 0) results[blockIdx.x] = found;
}

constexpr int threads_of_row = 32, loads_under_way = 8;
constexpr int peak_blocks = 4;  // a multiprocessor, which has room for as many

/// One result a block. So many of its threads take row after row, a thread so many values at once that the
/// memory is never idle; that one of them is the greatest so far is rare.
template <class Real, class At>
__global__ void block_peaks(const Real* field, At at, Box3 box, Peak* results) {
  constexpr int rows = block_threads / threads_of_row;
  const Extent3 n = box.extent();
  Peak mine{0, box.begin};
  for (std::int64_t row = std::int64_t{blockIdx.x} * rows + threadIdx.x / threads_of_row;
       row < std::int64_t{n.y} * n.z; row += std::int64_t{gridDim.x} * rows) {
    const int y = box.begin.y + static_cast<int>(row % n.y), z = box.begin.z + static_cast<int>(row / n.y);
    for (int first = box.begin.x + static_cast<int>(threadIdx.x % threads_of_row); first < box.end.x;
         first += loads_under_way * threads_of_row) {
      std::uint32_t bits[loads_under_way], greatest = 0;
#pragma unroll
      for (int i = 0; i < loads_under_way; ++i) {
        const int x = first + i * threads_of_row;
        bits[i] = x < box.end.x ? magnitude_bits(static_cast<float>(field[at.index(x, y, z)])) : 0;
        greatest = max(greatest, bits[i]);
      }
      if (greatest <= mine.bits) continue;
#pragma unroll
      for (int i = 0; i < loads_under_way; ++i) {
        mine = merge(mine, {bits[i], {first + i * threads_of_row, y, z}});
      }
    }
  }
  const Peak found = merge_block(mine);
  if (threadIdx.x == 0) results[blockIdx.x] = found;
}

/// Gathers the points behind the launches, and copies them beside those that follow.
class CudaFieldReader final : public FieldReader {
 public:
  CudaFieldReader(Backend& backend, const Gpu& gpu, cudaStream_t launches, Precision precision,
                  const Lattice& points)
      : gpu_(gpu),
        launches_(launches),
        points_(points),
        gathered_(backend, points.n.points(), precision),
        values_(gathered_.bytes()) {}
  CudaFieldReader(const CudaFieldReader&) = delete;
  CudaFieldReader& operator=(const CudaFieldReader&) = delete;
  ~CudaFieldReader() override {
    cudaSetDevice(gpu_.index());
    cudaStreamSynchronize(copies_.get());
  }

  void start(const PlacedField& field) override {
    gpu_.use();
    field.visit([&]<class Real>(const Real* values, const auto& at) {
      read_points<<<gpu_.properties().multiProcessorCount * 8, block_threads, 0, launches_>>>(
          gathered_.at().of<Real>(), values, at, points_);
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
  Lattice points_;
  DeviceReals gathered_;
  PinnedArray<std::byte> values_;
  CudaStream copies_{CudaStream::Priority::second};
  CudaEvent is_gathered_{CudaEvent::Kind::order}, is_copied_{CudaEvent::Kind::order};
};

/// Each method makes its GPU the current one first: others may live beside it.
class CudaFieldKernels final : public FieldKernels {
 public:
  CudaFieldKernels(Backend& backend, const Gpu& gpu, cudaStream_t stream)
      : backend_(backend), gpu_(gpu), stream_(stream) {}

  void for_each_point(const Box3& box, const PointWork& work) override { for_each_point({{box, work}}); }

  /// One launch for boxes with work of one kind.
  void for_each_point(const std::vector<PointsOfBox>& boxes) override {
    gpu_.use();
    for (auto first = boxes.begin(); first != boxes.end();)
      first = std::visit([&](const auto& work) { return run_alike(work, first, boxes.end()); }, first->work);
  }

  void correct(const CpmlWork& work) override {
    gpu_.use();
    std::visit(
        [&](const auto& pass) {
          if (pass.box.empty()) return;
          with_device_shape(pass, [&]<class Shape>() { launch<Shape>(pass); });
        },
        work);
  }
  [[nodiscard]] bool correct(const CpmlAdjointFace& face) override {
    gpu_.use();
    return with_device_shape(face, [&]<class Shape>() { launch<Shape>(face); });
  }

  void inject(const PlacedField& field, const SourceNodes& shares, RealsAt samples) override {
    gpu_.use();
    field.visit([&]<class Real>(Real* values, const auto& at) {
      inject_sample<<<blocks_for(shares.count), block_threads, 0, stream_>>>(values, at, shares,
                                                                             samples.of<Real>());
    });
    check_launch();
  }

  void record(RealsAt row, const PlacedField& field, const std::int64_t* nodes, int count) override {
    gpu_.use();
    if (count == 0) return;
    field.visit([&]<class Real>(const Real* values, const auto& at) {
      record_nodes<<<blocks_for(count), block_threads, 0, stream_>>>(row.of<Real>(), values, at, nodes,
                                                                     count);
    });
    check_launch();
  }

  void record(RealsAt row, const PlacedField& field, const NodeWeights* receivers, int count) override {
    gpu_.use();
    if (count == 0) return;
    field.visit([&]<class Real>(const Real* values, const auto& at) {
      const int blocks = (count + receivers_of_block - 1) / receivers_of_block;
      record_between_nodes<<<blocks, block_threads, 0, stream_>>>(row.of<Real>(), values, at, receivers,
                                                                  count);
    });
    check_launch();
  }

  [[nodiscard]] std::unique_ptr<FieldReader> make_reader(Precision precision,
                                                         const Lattice& points) override {
    gpu_.use();
    return std::make_unique<CudaFieldReader>(backend_, gpu_, stream_, precision, points);
  }

  void randomize(const PlacedField& field, const Grid& grid, std::uint32_t seed) override {
    gpu_.use();
    field.visit([&](auto* values, const auto& at) {
      randomize_rows<<<gpu_.properties().multiProcessorCount * 8, block_threads, 0, stream_>>>(
          values, at, grid.n, grid.first_z, seed);
    });
    check_launch();
  }

  [[nodiscard]] Extremes extremes(const PlacedField& field, const Box3& box) override {
    gpu_.use();
    std::vector<Extremes> partial(gpu_.properties().multiProcessorCount * 8);
    const DeviceArray<Extremes> results(backend_, partial.size());
    field.visit([&](const auto* values, const auto& at) {
      block_extremes<<<static_cast<unsigned>(partial.size()), block_threads, 0, stream_>>>(values, at, box,
                                                                                           results.data());
    });
    check_launch();
    backend_.download(partial.data(), results.data(), partial.size() * sizeof(Extremes));
    Extremes found = partial.front();
    for (const Extremes& part : partial) {
      found = {std::min(found.min, part.min), std::max(found.max, part.max), found.finite && part.finite};
    }
    return found;
  }

  void start_peak(const PlacedField& field, const Box3& box) override {
    gpu_.use();
    const std::span<Peak> peaks = block_peaks_.values();
    field.visit([&](const auto* values, const auto& at) {
      block_peaks<<<static_cast<unsigned>(peaks.size()), block_threads, 0, stream_>>>(values, at, box,
                                                                                      peaks.data());
    });
    check_launch();
    check(cudaEventRecord(peak_found_.get(), stream_));
    peak_started_ = true;
  }

  [[nodiscard]] std::optional<Peak> take_peak(bool wait) override {
    gpu_.use();
    if (wait) peak_found_.wait();
    if (!peak_started_ || !peak_found_.is_over()) return std::nullopt;
    peak_started_ = false;
    return *std::ranges::max_element(block_peaks_.values(), {}, &Peak::bits);
  }

 private:
  using OfBox = std::vector<PointsOfBox>::const_iterator;

  /// Runs the work of the first boxes that have this kind of it. Where the others begin.
  template <class Work>
  OfBox run_alike(const Work&, OfBox next, OfBox end) const {
    WorkOfBoxes<Work> all;
    for (; next != end && all.count < all.most; ++next) {
      const Work* const work = std::get_if<Work>(&next->work);
      if (work == nullptr) break;
      if (!next->box.empty()) all.add(next->box, *work);
    }
    if (all.count == 0) return next;
    run_work<<<all.blocks(), work_threads, 0, stream_>>>(all);
    check_launch();
    return next;
  }

  template <class Shape, class Pass>
  void launch(const Pass& pass) const {
    static_assert(dynamic_shared_bytes<Shape> == 0);
    code_shape<Shape, Pass>
        <<<to_dim3(launch_blocks<Shape>(pass.box)), to_dim3(Shape::threads), 0, stream_>>>(pass);
    check_launch();
  }
  static int blocks_for(int threads) { return (threads + block_threads - 1) / block_threads; }

  Backend& backend_;
  const Gpu& gpu_;
  cudaStream_t stream_;
  PinnedArray<Peak> block_peaks_{std::size_t(gpu_.properties().multiProcessorCount) * peak_blocks};
  CudaEvent peak_found_{CudaEvent::Kind::order};
  bool peak_started_ = false;
};

}  // namespace

std::unique_ptr<FieldKernels> make_cuda_field_kernels(Backend& backend, const Gpu& gpu, cudaStream_t stream) {
  return std::make_unique<CudaFieldKernels>(backend, gpu, stream);
}

}  // namespace minimod
