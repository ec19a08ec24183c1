/// Half sweeps and the look for the defect on a GPU.
#include "kernels/device/shape_kernel.cuh"
#include "kernels/relaxation/relaxation_kernels.hpp"
#include "kernels/relaxation/relaxation_list.hpp"

namespace minimod::relaxation {

namespace {

constexpr int defect_threads = 256, defect_blocks_per_multiprocessor = 4;

/// Blocks take rows in turn.
template <class Real>
__global__ void find_defect(const __grid_constant__ PlateArgs<Real> args, unsigned long long* greatest) {
  __shared__ unsigned long long of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  std::uint64_t mine = 0;
  for (int j = static_cast<int>(blockIdx.x); j < args.n.y; j += static_cast<int>(gridDim.x)) {
    for (int i = static_cast<int>(threadIdx.x); i < args.n.x; i += defect_threads) {
      const std::uint64_t bits = size_bits(args.defect(i, j));
      if (bits > mine) mine = bits;
    }
  }
  atomicMax(&of_block, static_cast<unsigned long long>(mine));
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(greatest, of_block);
}

template <class Real>
void launch_find_defect(const PlateArgs<Real>& args, std::uint64_t* greatest, Stream stream) {
  const int blocks = multiprocessors() * defect_blocks_per_multiprocessor;
  find_defect<<<blocks, defect_threads, 0, stream.as<cudaStream_t>()>>>(
      args, reinterpret_cast<unsigned long long*>(greatest));
  check_launch();
}

}  // namespace

std::vector<PlateLaunchers> device_launchers() {
  std::vector<PlateLaunchers> launchers;
  for_each_entry(ShapeList{}, [&]<class Entry, std::size_t /*Index*/>() {
    using Single = ShapeKernel<typename Entry::template Body<float>, PlateArgs<float>>;
    using Double = ShapeKernel<typename Entry::template Body<double>, PlateArgs<double>>;
    launchers.push_back({{Single::run, launch_find_defect<float>, Single::facts},
                         {Double::run, launch_find_defect<double>, Double::facts}});
  });
  return launchers;
}

}  // namespace minimod::relaxation
