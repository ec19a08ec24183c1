/// How a GPU's threads take the points of boxes whose work is point by point (boundary/point_work.hpp).
#pragma once

#include "boundary/adjoint/drive.hpp"
#include "kernels/device/gpu_api.cuh"

namespace minimod {

constexpr int work_threads = 256;  ///< threads of a block
constexpr int points_at_once = 4;  ///< points of a thread whose reads are under way together

/// Where a thread has its points, of a box whose rows a block takes by so many columns.
struct PointsOfThread {
  Index3 begin, end;
  unsigned columns, rows_at_once, width, rows;
  unsigned x_step, row_step;  ///< between points at once: along x, or where rows are short from row to row

  __device__ PointsOfThread(const Box3& box, int log2_columns)
      : begin(box.begin),
        end(box.end),
        columns(1U << log2_columns),
        rows_at_once((work_threads >> log2_columns) * gridDim.x),
        width(static_cast<unsigned>(box.extent().x)),
        rows(static_cast<unsigned>(box.extent().y) * box.extent().z),
        x_step(is_wide() ? columns : 0),
        row_step(is_wide() ? 0 : rows_at_once) {}

  [[nodiscard]] __device__ bool is_wide() const { return width > columns; }
  [[nodiscard]] __device__ bool has(int k, unsigned x, unsigned row) const {
    return x + k * x_step < width && row + k * row_step < rows;
  }
  [[nodiscard]] __device__ Index3 at(int k, unsigned x, unsigned row) const {
    const unsigned of_y = end.y - begin.y, here = row + k * row_step;
    return {static_cast<int>(begin.x + x + k * x_step), static_cast<int>(begin.y + here % of_y),
            static_cast<int>(begin.z + here / of_y)};
  }

  template <class Work>
  __device__ void run(const Work& work, unsigned x, unsigned row) const {
    if constexpr (TakesBefore<Work>) {
      decltype(work.take(begin)) values[points_at_once];
#pragma unroll
      for (int k = 0; k < points_at_once; ++k)
        if (has(k, x, row)) values[k] = work.take(at(k, x, row));
#pragma unroll
      for (int k = 0; k < points_at_once; ++k)
        if (has(k, x, row)) work.put(at(k, x, row), values[k]);
    } else {
      for (int k = 0; k < points_at_once; ++k)
        if (has(k, x, row)) work(at(k, x, row));
    }
  }
};

/// Boxes of a launch, and what is done at their points.
template <class Work>
struct WorkOfBoxes {
  static constexpr int most = 6;
  Box3 box[most];
  int log2_columns[most];  ///< threads of a block along x; the others have rows of their own
  Work work[most];

  void set(int i, const Box3& points, const Work& on_point) {
    box[i] = points;
    work[i] = on_point;
    for (log2_columns[i] = 2; log2_columns[i] < 5 && points.extent().x > 1 << log2_columns[i];)
      ++log2_columns[i];
  }
  /// Blocks whose threads have their points of box i at once.
  [[nodiscard]] std::int64_t blocks(int i) const {
    const bool is_wide = box[i].extent().x > 1 << log2_columns[i];
    const int rows = (work_threads >> log2_columns[i]) * (is_wide ? 1 : points_at_once);
    return (std::int64_t{box[i].extent().y} * box[i].extent().z + rows - 1) / rows;
  }
};

/// Blocks (·, i) take groups of rows of box i.
template <class Work>
__global__ void run_work(const __grid_constant__ WorkOfBoxes<Work> all) {
  const Box3& box = all.box[blockIdx.y];
  const int log2_columns = all.log2_columns[blockIdx.y];
  const PointsOfThread points(box, log2_columns);
  const unsigned first = threadIdx.x % points.columns,
                 mine = blockIdx.x * (work_threads >> log2_columns) + (threadIdx.x >> log2_columns);
  const unsigned next_row = points.rows_at_once * (points.is_wide() ? 1 : points_at_once);
  for (unsigned row = mine; row < points.rows; row += next_row)
    for (unsigned x = first; x < points.width; x += points_at_once * points.columns)
      points.run(all.work[blockIdx.y], x, row);
}

}  // namespace minimod
