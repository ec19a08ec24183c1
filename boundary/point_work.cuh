/// How a GPU's threads take the points of boxes whose work is point by point (boundary/point_work.hpp).
#pragma once

#include "boundary/adjoint/drive.hpp"
#include "kernels/device/gpu_api.cuh"

namespace minimod {

constexpr int work_threads = 256;  ///< threads of a block
constexpr int points_at_once = 4;  ///< points of a thread whose reads are under way together

/// Does the work of a thread's points `at(0)`, `at(1)`, …, as far as the box has them.
template <class Work, class At, class Has>
__device__ void run_at_once(const Work& work, const At& at, const Has& has) {
  if constexpr (TakesBefore<Work>) {
    decltype(work.take(at(0))) values[points_at_once];
#pragma unroll
    for (int k = 0; k < points_at_once; ++k)
      if (has(k)) values[k] = work.take(at(k));
#pragma unroll
    for (int k = 0; k < points_at_once; ++k)
      if (has(k)) work.put(at(k), values[k]);
  } else {
    for (int k = 0; k < points_at_once; ++k)
      if (has(k)) work(at(k));
  }
}

/// Boxes of a launch, and what is done at their points.
template <class Work>
struct WorkOfBoxes {
  static constexpr int most = 7;
  static constexpr unsigned most_blocks = 1U << 20;  ///< blocks of a box; they go on where rows are left
  int count = 0;
  unsigned first_block[most + 1] = {0};  ///< blocks of box i begin there, and end where those of i + 1 begin
  Box3 box[most];
  int log2_columns[most];  ///< threads of a block along x; the others have rows of their own
  bool is_wide[most];      ///< whether rows have more points than columns
  Work work[most];

  void add(const Box3& points, const Work& on_point) {
    const int i = count++;
    box[i] = points;
    work[i] = on_point;
    const int width = points.extent().x;
    for (log2_columns[i] = 2; log2_columns[i] < 5 && width > 1 << log2_columns[i];) ++log2_columns[i];
    is_wide[i] = width > 1 << log2_columns[i];
    // Blocks of whole rows, as far as that goes: memory is faster where warps side by side read on.
    while (1 << log2_columns[i] < work_threads && width > points_at_once << log2_columns[i])
      ++log2_columns[i];
    const int rows = (work_threads >> log2_columns[i]) * (is_wide[i] ? 1 : points_at_once);
    const std::int64_t blocks = (std::int64_t{points.extent().y} * points.extent().z + rows - 1) / rows;
    first_block[count] = first_block[i] + static_cast<unsigned>(std::min<std::int64_t>(blocks, most_blocks));
  }
  [[nodiscard]] unsigned blocks() const { return first_block[count]; }
};

/// Blocks take groups of rows of their box. A thread's points at once are those of a row that is wide, whose
/// place takes a division: once, not at each point. Else they are in rows of their own.
template <class Work>
__global__ void run_work(const __grid_constant__ WorkOfBoxes<Work> all) {
  int i = 0;
  while (blockIdx.x >= all.first_block[i + 1]) ++i;
  const Box3 box = all.box[i];
  const Work& work = all.work[i];
  const int log2_columns = all.log2_columns[i];
  const unsigned columns = 1U << log2_columns, rows_of_block = work_threads >> log2_columns;
  const unsigned of_y = box.extent().y, rows = of_y * box.extent().z;
  const unsigned rows_at_once = rows_of_block * (all.first_block[i + 1] - all.first_block[i]);
  const unsigned x = threadIdx.x % columns,
                 mine = (blockIdx.x - all.first_block[i]) * rows_of_block + (threadIdx.x >> log2_columns);
  const auto first_of = [&](unsigned row) {
    return Index3{static_cast<int>(box.begin.x + x), static_cast<int>(box.begin.y + row % of_y),
                  static_cast<int>(box.begin.z + row / of_y)};
  };
  if (all.is_wide[i]) {
    const int step = static_cast<int>(columns);
    for (unsigned row = mine; row < rows; row += rows_at_once)
      for (Index3 first = first_of(row); first.x < box.end.x; first.x += points_at_once * step)
        run_at_once(
            work,
            [&](int k) {
              return Index3{first.x + k * step, first.y, first.z};
            },
            [&](int k) { return first.x + k * step < box.end.x; });
  } else if (x < box.extent().x) {
    for (unsigned row = mine; row < rows; row += points_at_once * rows_at_once)
      run_at_once(
          work, [&](int k) { return first_of(row + k * rows_at_once); },
          [&](int k) { return row + k * rows_at_once < rows; });
  }
}

}  // namespace minimod
