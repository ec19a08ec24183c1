#include <bit>

#include "kernels/device/cuda_driver.cuh"
#include "kernels/device/tma.cuh"
#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

/// Map of values of `bytes` bytes each.
TensorMap encode(CUtensorMapDataType type, std::size_t bytes, const void* first, Extent3 reach,
                 const Layout& at, int width, int height, Fetch fetch) {
  const cuuint64_t extents[3] = {static_cast<cuuint64_t>(reach.x), static_cast<cuuint64_t>(reach.y),
                                 static_cast<cuuint64_t>(reach.z)};
  const cuuint64_t strides[2] = {at.stride_y * bytes, at.stride_z * bytes};
  const cuuint32_t box[3] = {static_cast<cuuint32_t>(width), static_cast<cuuint32_t>(height), 1};
  const cuuint32_t steps[3] = {1, 1, 1};
  CUtensorMap map;
  static const auto encode_tiled =
      driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  const CUresult result = encode_tiled(
      &map, type, 3, const_cast<void*>(first), extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_NONE,
      fetch == Fetch::lines ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B : CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw Error(ErrorKind::resource,
                text("no tensor map for ", reach.x, " x ", reach.y, " x ", reach.z, " values, tile ", width,
                     " x ", height, " (CUDA driver error ", static_cast<int>(result), ")"),
                text("take another ", option("kernel"), " (", command("kernels"), ")"));
  }
  return std::bit_cast<TensorMap>(map);
}
}  // namespace

TileMap::TileMap(const float* first, Extent3 reach, const Layout& at, int width, int height, Fetch fetch)
    : map_(encode(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, sizeof *first, first, reach, at, width, height, fetch)) {}

TileMap::TileMap(const double* first, Extent3 reach, const Layout& at, int width, int height, Fetch fetch)
    : map_(encode(CU_TENSOR_MAP_DATA_TYPE_FLOAT64, sizeof *first, first, reach, at, width, height, fetch)) {}

TileMap::TileMap(const std::uint16_t* first, Extent3 reach, const Layout& at, int width, int height,
                 Fetch fetch)
    : map_(encode(CU_TENSOR_MAP_DATA_TYPE_UINT16, sizeof *first, first, reach, at, width, height, fetch)) {}

}  // namespace minimod
