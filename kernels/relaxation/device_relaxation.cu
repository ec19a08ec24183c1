/// Half sweeps and the look for the defect on a GPU.
#include "kernels/device_block.cuh"
#include "kernels/launch_facts.cuh"
#include "kernels/relaxation/relaxation_kernels.hpp"
#include "kernels/relaxation/relaxation_list.hpp"

namespace minimod::relaxation {

namespace {

constexpr int defect_threads = 256, defect_blocks_per_multiprocessor = 4;

template <class Shape>
void launch_half_sweep(const PlateArgs<typename Shape::Real>& args, void* stream) {
  static_assert(dynamic_shared_bytes<Shape> == 0);
  code_shape<Shape, PlateArgs<typename Shape::Real>>
      <<<to_dim3(Shape::blocks(args.box)), to_dim3(Shape::threads), 0, static_cast<cudaStream_t>(stream)>>>(
          args);
  check_launch();
}

template <class Shape>
LaunchFacts facts_of_half_sweep(const PlateArgs<typename Shape::Real>& args) {
  const auto kernel = code_shape<Shape, PlateArgs<typename Shape::Real>>;
  return prepare({reinterpret_cast<const void*>(kernel), Shape::blocks(args.box),
                  static_cast<int>(Shape::threads.points()), 0},
                 Shape::family);
}

template <class Shape>
HalfSweep<typename Shape::Real> device_half_sweep() {
  return {launch_half_sweep<Shape>, facts_of_half_sweep<Shape>};
}

/// Blocks take rows in turn.
template <class Real>
__global__ void find_defect(const __grid_constant__ PlateArgs<Real> args, unsigned long long* greatest) {
  __shared__ unsigned long long of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  std::uint64_t mine = 0;
  for (int j = static_cast<int>(blockIdx.x); j < args.box.end.y; j += static_cast<int>(gridDim.x)) {
    for (int i = static_cast<int>(threadIdx.x); i < args.box.end.x; i += defect_threads) {
      const std::uint64_t bits = size_bits(args.defect(i, j));
      if (bits > mine) mine = bits;
    }
  }
  atomicMax(&of_block, static_cast<unsigned long long>(mine));
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(greatest, of_block);
}

}  // namespace

template <class Real>
void find_defect_on_device(const PlateArgs<Real>& args, std::uint64_t* greatest, void* stream) {
  const int blocks = multiprocessors() * defect_blocks_per_multiprocessor;
  find_defect<<<blocks, defect_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      args, reinterpret_cast<unsigned long long*>(greatest));
  check_launch();
}

template void find_defect_on_device(const PlateArgs<float>&, std::uint64_t*, void*);
template void find_defect_on_device(const PlateArgs<double>&, std::uint64_t*, void*);

std::vector<DeviceHalfSweeps> device_half_sweeps() {
  std::vector<DeviceHalfSweeps> sweeps;
  for_each_shape([&]<class Entry>(std::size_t /*index*/) {
    sweeps.push_back({device_half_sweep<typename Entry::template Body<float>>(),
                      device_half_sweep<typename Entry::template Body<double>>()});
  });
  return sweeps;
}

}  // namespace minimod::relaxation
