/// The ceilings of a GPU.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/device/gpu_api.cuh"
#include "kernels/device/launch_facts.cuh"
#include "src/base/error.hpp"
#include "src/device/backend.hpp"
#include "src/device/ceiling.hpp"
#include "src/device/stopwatch.hpp"

namespace minimod {

namespace {

constexpr int block_threads = 256;
static_assert(block_threads == ChunkLayout::vectors);  // a vector of a chunk each
constexpr int cache_threads = 1024;   ///< threads of a block that reads from L1 or shared memory
constexpr int cached_vectors = 2048;  ///< 32 KiB
constexpr int cache_reads = 4096;     ///< reads of a thread
constexpr int reads_at_once = 4;      ///< reads of a thread on their way
constexpr std::size_t l2_piece = std::size_t{block_threads} * reads_at_once;  ///< vectors, of a block
constexpr int l2_passes = 512;  ///< over an array that fits the L2
constexpr int l2_shift = 7;     ///< blocks that a piece of it moves on by from pass to pass
constexpr int chains = 8;       ///< independent sums of a thread
constexpr int chain_steps = 4096;

__device__ float sum_of(float4 v) {
  return v.x + v.y + v.z + v.w;
}

/// Stores what the compiler must not leave out; never true.
__device__ void keep(float value, float* sink) {
  if (value == 1.2345e33F) *sink = value;
}

__global__ void ceiling_read(const float4* from, std::int64_t count, float* sink) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  float sum = 0;
  std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (reads_at_once - 1) * threads < count; i += reads_at_once * threads) {
    float4 values[reads_at_once];
    for (int k = 0; k < reads_at_once; ++k) values[k] = from[i + k * threads];
    for (const float4& value : values) sum += sum_of(value);
  }
  for (; i < count; i += threads) sum += sum_of(from[i]);
  keep(sum, sink);
}

/// The piece of an array that a block works on in a pass: each time one that another block had.
__device__ std::int64_t piece_of_block(int pass) {
  return (blockIdx.x + pass * l2_shift) % gridDim.x;
}

/// Past the L1: pieces of reads_at_once vectors a thread.
__global__ void ceiling_read_again(const float4* from, int passes, float* sink) {
  float sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const float4* const piece = from + piece_of_block(pass) * reads_at_once * blockDim.x + threadIdx.x;
    float4 values[reads_at_once];
    for (int k = 0; k < reads_at_once; ++k) values[k] = __ldcg(piece + k * blockDim.x);
    for (const float4& value : values) sum += sum_of(value);
  }
  keep(sum, sink);
}

/// Past the L1: pieces of two vectors a thread, of which it writes one to a piece of half the size.
__global__ void ceiling_2r1w_again(float4* to, const float4* from, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    const std::int64_t first = piece_of_block(pass) * blockDim.x;
    const float4* const piece = from + 2 * first + threadIdx.x;
    const float4 x = __ldcg(piece), y = __ldcg(piece + blockDim.x);
    __stcg(to + first + threadIdx.x, {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w});
  }
}

/// Sides of an L2 as the blocks of a launch read by them.
struct ReadSides {
  ChunkLayout at;
  FieldPages pages;
  const unsigned char* of_multiprocessor;
  unsigned far;  ///< 1: what a block reads has its home on the other side than its multiprocessor
};

/// Past the L1: pieces of reads_at_once pairs of chunks, of which a block reads those on one side. From pass
/// to pass it moves on by `shift` pieces.
__global__ void ceiling_read_side(const float4* from, ReadSides sides, unsigned pieces, unsigned shift,
                                  int passes, float* sink) {
  const unsigned side = (sides.of_multiprocessor[gpu_api::multiprocessor()] ^ sides.far) & 1;
  float sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const unsigned first = (blockIdx.x + pass * shift) % pieces * reads_at_once;
    float4 values[reads_at_once];
    for (unsigned k = 0; k < reads_at_once; ++k) {
      const unsigned vector = (2 * (first + k) + side) * ChunkLayout::vectors + threadIdx.x;
      values[k] = __ldcg(from + sides.at.in_field(vector, sides.pages));
    }
    for (const float4& value : values) sum += sum_of(value);
  }
  keep(sum, sink);
}

__global__ void ceiling_copy(float4* to, const float4* a) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  to[i] = a[i];
}

__global__ void ceiling_triad(float4* to, const float4* a, const float4* b) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float4 x = a[i], y = b[i];
  to[i] = {fmaf(0.5F, y.x, x.x), fmaf(0.5F, y.y, x.y), fmaf(0.5F, y.z, x.z), fmaf(0.5F, y.w, x.w)};
}

__global__ void ceiling_3r1w(float4* to, const float4* a, const float4* b, const float4* c) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float4 x = a[i], y = b[i], z = c[i];
  to[i] = {fmaf(x.x, y.x, z.x), fmaf(x.y, y.y, z.y), fmaf(x.z, y.z, z.z), fmaf(x.w, y.w, z.w)};
}

/// All blocks read the same 32 KiB again and again, each from its own L1.
__global__ void ceiling_l1(const float4* from, float* sink) {
  int i = threadIdx.x;
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < cache_reads; ++k) {
    sum += sum_of(__ldca(from + i));
    asm volatile("" ::: "memory");  // the next time is a read again
    i = (i + cache_threads) % cached_vectors;
  }
  keep(sum, sink);
}

__global__ void ceiling_shared(const float4* from, float* sink) {
  __shared__ float4 values[cached_vectors];
  for (int i = threadIdx.x; i < cached_vectors; i += cache_threads) values[i] = from[i];
  __syncthreads();
  int i = threadIdx.x;
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < cache_reads; ++k) {
    sum += sum_of(values[i]);
    asm volatile("" ::: "memory");  // the next time is a read again
    i = (i + cache_threads) % cached_vectors;
  }
  keep(sum, sink);
}

template <bool Fused, class Real>
__global__ void ceiling_arithmetic(Real factor, float* sink) {
  Real sums[chains];
  for (int k = 0; k < chains; ++k) sums[k] = static_cast<Real>(threadIdx.x + k);
#pragma unroll 8
  for (int step = 0; step < chain_steps; ++step) {
#pragma unroll
    for (int k = 0; k < chains; ++k) sums[k] = Fused ? fma(sums[k], factor, factor) : sums[k] + factor;
  }
  Real sum = 0;
  for (int k = 0; k < chains; ++k) sum += sums[k];
  keep(static_cast<float>(sum), sink);
}

/// Vectors of each of four arrays far larger than the L2, which take no more than half of what is free.
std::size_t streamed_vectors(const Backend& backend) {
  const std::size_t wanted = std::min<std::size_t>(std::size_t{1} << 30U, backend.free_bytes() / 8);
  return wanted / sizeof(float4) / block_threads * block_threads;
}

std::string megabytes(double bytes) {
  return text(std::lround(bytes * 1e-6), " MB");
}
std::string repeated(double bytes) {
  return megabytes(bytes) + ", again and again";
}

template <class Work>
double seconds_of(Backend& backend, const Work& work) {
  Stopwatch watch(backend);
  watch.start();
  work();
  check(cudaGetLastError());
  watch.lap();
  return watch.seconds();
}

class CudaCeilings {
 public:
  CudaCeilings(Backend& backend, cudaStream_t stream) : backend_(backend), stream_(stream) {
    vectors_ = streamed_vectors(backend);
    for (auto* array : {&a_, &b_, &c_, &d_}) *array = DeviceArray<float4>(backend, vectors_);
    sink_ = DeviceArray<float>(backend, 1);
    multiprocessors_ = attribute(cudaDevAttrMultiProcessorCount);
    clock_ = attribute(cudaDevAttrClockRate) * 1e3;
    per_clock_ = gpu_api::per_clock(attribute(cudaDevAttrComputeCapabilityMajor),
                                    attribute(cudaDevAttrComputeCapabilityMinor));
    // Two transfers a clock; bits to bytes.
    dram_ =
        2e3 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8 * 1e-9;
  }

  [[nodiscard]] std::vector<Ceiling> measure() {
    std::vector<Ceiling> found;
    measure_memory(found);
    measure_l2(found);
    measure_sides(found);  // behind memory, which may stream slower once so much of it was taken
    measure_caches(found);
    measure_arithmetic(found);
    return found;
  }

 private:
  template <class Work>
  [[nodiscard]] Ceiling timed(const Ceiling& what, double amount, const Work& work) {
    return measure_ceiling(what, amount, [&] { return seconds_of(backend_, work); });
  }

  void measure_memory(std::vector<Ceiling>& found) {
    const auto blocks = static_cast<unsigned>(vectors_ / block_threads);
    const unsigned resident = multiprocessors_ * 8;
    const double array = static_cast<double>(vectors_) * sizeof(float4);
    const std::string from = "theoretical: memory clock, bus width";
    found.push_back(timed({"dram_read", Level::dram, {}, dram_, "sum of one array; " + from}, array, [&] {
      ceiling_read<<<resident, block_threads, 0, stream_>>>(a_.data(), vectors_, sink_.data());
    }));
    found.push_back(timed({"dram_copy", Level::dram, {}, dram_, "a = b; " + from}, 2 * array, [&] {
      ceiling_copy<<<blocks, block_threads, 0, stream_>>>(a_.data(), b_.data());
    }));
    found.push_back(timed({"dram_triad", Level::dram, {}, dram_, "a = b + s c; " + from}, 3 * array, [&] {
      ceiling_triad<<<blocks, block_threads, 0, stream_>>>(a_.data(), b_.data(), c_.data());
    }));
    found.push_back(timed(
        {"dram_3r1w", Level::dram, {}, dram_, "the solver's mix: a = b c + d; " + from}, 4 * array, [&] {
          ceiling_3r1w<<<blocks, block_threads, 0, stream_>>>(a_.data(), b_.data(), c_.data(), d_.data());
        }));
  }

  /// Blocks that read a piece each, together a third of the L2 at most: what stays in either half of an
  /// H200's, 17 MB there.
  [[nodiscard]] unsigned blocks_in_l2() const {
    const std::size_t fitting = std::min(backend_.info().l2_bytes / 3 / sizeof(float4), vectors_) / l2_piece;
    return static_cast<unsigned>(
        std::clamp<std::size_t>(fitting, 1, static_cast<std::size_t>(multiprocessors_) * 8));
  }

  void measure_l2(std::vector<Ceiling>& found) {
    const unsigned blocks = blocks_in_l2();
    const double read = static_cast<double>(blocks * l2_piece) * sizeof(float4);
    found.push_back(timed({"l2_read", Level::l2, {}, 0, repeated(read)}, l2_passes * read, [&] {
      ceiling_read_again<<<blocks, block_threads, 0, stream_>>>(a_.data(), l2_passes, sink_.data());
    }));
    // Both ways between L2 and multiprocessors at once, as kernels have them.
    const double mixed = 3.0 * blocks * block_threads * sizeof(float4);
    found.push_back(timed(
        {"l2_2r1w", Level::l2, {}, 0, repeated(mixed) + ", a = b + c"}, l2_passes * mixed,
        [&] { ceiling_2r1w_again<<<blocks, block_threads, 0, stream_>>>(a_.data(), b_.data(), l2_passes); }));
  }

  /// Where two sides are known. Near reads stay in the L2. Far ones come from memory, each once: the L2 keeps
  /// a copy on the reader's side of what came from the other one, so that again they would be near.
  void measure_sides(std::vector<Ceiling>& found) {
    const L2Sides known = backend_.l2_sides(cube_by_sides);
    const unsigned blocks = blocks_in_l2();
    const auto pieces = static_cast<unsigned>(vectors_ / (2 * l2_piece));
    if (!known.are_known() || pieces < blocks) return;
    const ChunkLayout at({ChunkLayout::width, ChunkLayout::height, 1}, known.hash, known.pages);
    const FieldPages pages = backend_.pages_of(a_.data(), vectors_ * sizeof(float4));
    const double pass = static_cast<double>(blocks * l2_piece) * sizeof(float4);
    const auto measure = [&](const Ceiling& what, int passes, unsigned far, unsigned all, unsigned shift) {
      found.push_back(timed(what, passes * pass, [&] {
        ceiling_read_side<<<blocks, block_threads, 0, stream_>>>(
            a_.data(), {at, pages, known.of_multiprocessor, far}, all, shift, passes, sink_.data());
      }));
    };
    measure({"l2_near", Level::l2, {}, 0, repeated(2 * pass)}, l2_passes, 0, blocks, l2_shift);
    const auto passes = static_cast<int>(pieces / blocks);
    measure({"l2_far", Level::fabric, {}, 0, megabytes(passes * pass) + " of memory, once"}, passes, 1,
            pieces, blocks);
  }

  void measure_caches(std::vector<Ceiling>& found) {
    const unsigned blocks = multiprocessors_ * 2;
    const double reads = static_cast<double>(blocks) * cache_threads * cache_reads * sizeof(float4);
    const auto peak = [&](int bytes) {
      return static_cast<double>(bytes) * multiprocessors_ * clock_ * 1e-9;
    };
    const auto how = [](int bytes) {
      return text("32 KiB, again and again; theoretical: ", bytes, " B a clock and multiprocessor");
    };
    found.push_back(
        timed({"l1_read", Level::l1, {}, peak(per_clock_.l1_bytes), how(per_clock_.l1_bytes)}, reads,
              [&] { ceiling_l1<<<blocks, cache_threads, 0, stream_>>>(a_.data(), sink_.data()); }));
    found.push_back(timed(
        {"shared_read", Level::shared, {}, peak(per_clock_.shared_bytes), how(per_clock_.shared_bytes)},
        reads, [&] { ceiling_shared<<<blocks, cache_threads, 0, stream_>>>(a_.data(), sink_.data()); }));
  }

  void measure_arithmetic(std::vector<Ceiling>& found) {
    const unsigned blocks = multiprocessors_ * 8;
    const double operations = static_cast<double>(blocks) * block_threads * chain_steps * chains;
    const double peak = static_cast<double>(multiprocessors_) * per_clock_.fp32_lanes * clock_ * 1e-9;
    const std::string from = "theoretical: fp32 units, greatest clock";
    found.push_back(timed(
        {"fp32_fma", Level::compute, {}, 2 * peak, "multiply-adds; " + from}, 2 * operations,
        [&] { ceiling_arithmetic<true, float><<<blocks, block_threads, 0, stream_>>>(0.5F, sink_.data()); }));
    found.push_back(timed({"fp32_add", Level::compute, {}, peak, "additions; " + from}, operations, [&] {
      ceiling_arithmetic<false, float><<<blocks, block_threads, 0, stream_>>>(0.5F, sink_.data());
    }));
    const double peak_double = static_cast<double>(multiprocessors_) * per_clock_.fp64_lanes * clock_ * 1e-9;
    found.push_back(timed(
        {"fp64_fma",
         Level::compute_double,
         {},
         2 * peak_double,
         "multiply-adds of doubles; theoretical: fp64 units, greatest clock"},
        2 * operations,
        [&] { ceiling_arithmetic<true, double><<<blocks, block_threads, 0, stream_>>>(0.5, sink_.data()); }));
  }

  Backend& backend_;
  cudaStream_t stream_;
  std::size_t vectors_ = 0;
  DeviceArray<float4> a_, b_, c_, d_;
  DeviceArray<float> sink_;
  int multiprocessors_ = 0;
  double clock_ = 0;  ///< Hz, the greatest of the multiprocessors
  gpu_api::PerClock per_clock_{};
  double dram_ = 0;  ///< GB/s
};

}  // namespace

StreamRates measure_cuda_stream_rates(Backend& backend, cudaStream_t stream, Thoroughness thoroughness) {
  const std::size_t vectors = streamed_vectors(backend);
  const DeviceArray<float4> arrays(backend, 4 * vectors);
  float4 *const a = arrays.data(), *const b = a + vectors, *const c = b + vectors, *const d = c + vectors;
  const auto blocks = static_cast<unsigned>(vectors / block_threads);
  const auto least = [&](const auto& work) {
    return least_seconds([&] { return seconds_of(backend, work); }, thoroughness);
  };
  const double copy = least([&] { ceiling_copy<<<blocks, block_threads, 0, stream>>>(a, b); });
  const double mix = least([&] { ceiling_3r1w<<<blocks, block_threads, 0, stream>>>(a, b, c, d); });
  const double array = static_cast<double>(vectors) * sizeof(float4) * 1e-9;
  return {2 * array / copy, 4 * array / mix};
}

std::vector<Ceiling> measure_cuda_ceilings(Backend& backend, cudaStream_t stream) {
  return CudaCeilings(backend, stream).measure();
}

}  // namespace minimod
