#include "kernels/device/launch_facts.cuh"
#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

void check_blocks(const KernelLaunch& launch, const char* shape) {
  const auto check_axis = [&](int blocks, cudaDeviceAttr limit, const char* axis) {
    const int most = attribute(limit);
    if (blocks <= most) return;
    throw Error(ErrorKind::resource,
                text(shape, " needs ", blocks, " blocks along ", axis, ", this GPU takes ", most),
                text("take a kernel that streams along that axis (", command("kernels"), ")"));
  };
  check_axis(launch.blocks.x, cudaDevAttrMaxGridDimX, "x");
  check_axis(launch.blocks.y, cudaDevAttrMaxGridDimY, "y");
  check_axis(launch.blocks.z, cudaDevAttrMaxGridDimZ, "z");
}

}  // namespace

int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

LaunchFacts prepare(const KernelLaunch& launch, const char* shape) {
  check_blocks(launch, shape);
  LaunchFacts facts{launch.blocks, launch.threads};
  cudaFuncAttributes attributes;
  check_launch(cudaFuncGetAttributes(&attributes, launch.kernel));
  facts.registers = attributes.numRegs;
  facts.shared_bytes = attributes.sharedSizeBytes + launch.dynamic_bytes;
  facts.local_bytes = attributes.localSizeBytes;
  if (launch.dynamic_bytes > 0) {
    check_launch(cudaFuncSetAttribute(launch.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(launch.dynamic_bytes)));
  }
  check_launch(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&facts.active_blocks, launch.kernel,
                                                             launch.threads, launch.dynamic_bytes));
  facts.occupancy = static_cast<double>(facts.active_blocks) * launch.threads /
                    attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  return facts;
}

void check_room(const LaunchFacts& facts, int blocks, const char* shape) {
  const int room = facts.active_blocks * multiprocessors();
  if (blocks <= room) return;
  throw Error(ErrorKind::resource,
              text(shape, " needs ", blocks, " blocks on the GPU at once, which holds ", room),
              text("take ", option("schedule"), " sequence, or another kernel"));
}

}  // namespace minimod
