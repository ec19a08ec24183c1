/// How a shape becomes a kernel of a GPU.
#pragma once

#include "kernels/device/device_block.cuh"
#include "kernels/device/launch_facts.cuh"

namespace minimod {

/// The kernel of a shape, which is given Args, and what it is launched with.
template <class Shape, class Args>
struct ShapeKernel {
  static constexpr auto kernel = code_shape<Shape, Args>;
  static constexpr std::size_t bytes = dynamic_shared_bytes<Shape>;

  static LaunchFacts facts(const Box3& box) {
    return prepare({reinterpret_cast<const void*>(kernel), launch_blocks<Shape>(box),
                    static_cast<int>(Shape::threads.points()), bytes},
                   Shape::family);
  }
  static void run(const Args& args, Stream stream) {
    kernel<<<to_dim3(launch_blocks<Shape>(args.box)), to_dim3(Shape::threads), bytes,
             stream.as<cudaStream_t>()>>>(args);
    check_launch();
  }
};

}  // namespace minimod
