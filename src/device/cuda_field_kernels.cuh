/// What a GPU does with fields beside the code shapes. Included by the CUDA backend alone.
#pragma once

#include <cstdint>

#include "kernels/random_field.hpp"
#include "src/device/backend.hpp"

namespace minimod {

namespace {

inline constexpr int block_threads = 256;

template <class Real>
__global__ void inject_sample(Real* field, SourceNodes shares, const Real* samples) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < shares.count) inject_at(field, shares, i, samples);
}

template <class Real>
__global__ void record_between_nodes(Real* row, const Real* field, Layout at, const NodeWeights* receivers,
                                     int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) row[i] = receivers[i].value(field, at);
}

inline constexpr unsigned work_columns = 32, work_rows = 8;  // threads of a block along x, and rows at once

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

template <class Real>
__global__ void record_nodes(Real* row, const Real* field, const std::int64_t* nodes, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) row[i] = field[nodes[i]];
}

/// A block takes row after row.
template <class Real>
__global__ void read_points(Real* values, const Real* field, Layout at, Lattice points) {
  const Extent3 n = points.n;
  for (std::int64_t row = blockIdx.x; row < std::int64_t{n.y} * n.z; row += gridDim.x) {
    const Index3 from = points.at(0, static_cast<int>(row % n.y), static_cast<int>(row / n.y));
    const Real* const first = field + at.index(from.x, from.y, from.z);
    for (int x = static_cast<int>(threadIdx.x); x < n.x; x += blockDim.x) {
      values[row * n.x + x] = first[std::int64_t{x} * points.stride.x];
    }
  }
}

/// A block takes row after row.
template <class Real>
__global__ void randomize_rows(Real* field, Grid grid, std::uint32_t seed) {
  const Extent3 n = grid.n;
  for (std::int64_t row = blockIdx.x; row < std::int64_t{n.y} * n.z; row += gridDim.x) {
    const int y = static_cast<int>(row % n.y), z = static_cast<int>(row / n.y);
    for (int x = static_cast<int>(threadIdx.x); x < n.x; x += blockDim.x) {
      field[grid.layout.index(x, y, z)] = random_value(seed, x, y, z + grid.first_z);
    }
  }
}

__device__ Extremes merge(const Extremes& a, const Extremes& b) {
  return {fmin(a.min, b.min), fmax(a.max, b.max), a.finite && b.finite};
}

__device__ Peak merge(const Peak& a, const Peak& b) {
  return b.bits > a.bits ? b : a;
}

/// Of what the threads of a block give, for its first thread.
template <class T>
__device__ T merge_block(const T& mine) {
  __shared__ T shared[block_threads];
  shared[threadIdx.x] = mine;
  for (int half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) shared[threadIdx.x] = merge(shared[threadIdx.x], shared[threadIdx.x + half]);
  }
  return shared[0];
}

/// One result a block, over the rows that the block takes in turn.
template <class Real>
__global__ void block_extremes(const Real* field, Layout at, Box3 box, Extremes* results) {
  Extremes mine{INFINITY, -INFINITY, true};
  const Extent3 n = box.extent();
  for (std::int64_t row = blockIdx.x; row < std::int64_t{n.y} * n.z; row += gridDim.x) {
    const Real* values = field + at.index(box.begin.x, box.begin.y + static_cast<int>(row % n.y),
                                          box.begin.z + static_cast<int>(row / n.y));
    for (int x = threadIdx.x; x < n.x; x += blockDim.x) {
      mine = merge(mine, {values[x], values[x], isfinite(values[x]) != 0});
    }
  }
  const Extremes found = merge_block(mine);
  if (threadIdx.x == 0) results[blockIdx.x] = found;
}

inline constexpr int warp_threads = 32, loads_under_way = 8;
inline constexpr int peak_blocks = 4;  // a multiprocessor, which has room for as many

/// One result a block. A warp takes row after row, a thread so many values at once that the memory is never
/// idle; that one of them is the greatest so far is rare.
template <class Real>
__global__ void block_peaks(const Real* field, Layout at, Box3 box, Peak* results) {
  constexpr int warps = block_threads / warp_threads;
  const Extent3 n = box.extent();
  Peak mine{0, box.begin};
  for (std::int64_t row = std::int64_t{blockIdx.x} * warps + threadIdx.x / warp_threads;
       row < std::int64_t{n.y} * n.z; row += std::int64_t{gridDim.x} * warps) {
    const int y = box.begin.y + static_cast<int>(row % n.y), z = box.begin.z + static_cast<int>(row / n.y);
    const Real* const values = field + at.index(0, y, z);
    for (int first = box.begin.x + static_cast<int>(threadIdx.x % warp_threads); first < box.end.x;
         first += loads_under_way * warp_threads) {
      std::uint32_t bits[loads_under_way], greatest = 0;
#pragma unroll
      for (int i = 0; i < loads_under_way; ++i) {
        const int x = first + i * warp_threads;
        bits[i] = x < box.end.x ? magnitude_bits(static_cast<float>(values[x])) : 0;
        greatest = max(greatest, bits[i]);
      }
      if (greatest <= mine.bits) continue;
#pragma unroll
      for (int i = 0; i < loads_under_way; ++i) {
        mine = merge(mine, {bits[i], {first + i * warp_threads, y, z}});
      }
    }
  }
  const Peak found = merge_block(mine);
  if (threadIdx.x == 0) results[blockIdx.x] = found;
}

}  // namespace

}  // namespace minimod
