/// A GPU of the machine. Included by the CUDA backend alone.
#pragma once

#include "src/base/error.hpp"
#include "src/device/cuda_field_kernels.cuh"
#include "src/device/cuda_resources.cuh"

namespace minimod {

namespace {

/// Refuses a GPU for which the binary holds neither machine code nor PTX.
void check_has_code(const cudaDeviceProp& properties) {
  cudaFuncAttributes attributes;
  const cudaError_t status = cudaFuncGetAttributes(&attributes, record_nodes<float>);
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction ||
      status == cudaErrorUnsupportedPtxVersion) {
    cudaGetLastError();  // nothing for the next GPU to be blamed with
    throw Error(ExitCode::unavailable,
                text("no code for ", properties.name, " (sm_", properties.major, properties.minor,
                     ") in this program, built for ", MINIMOD_CUDA_ARCHITECTURES),
                "build with MINIMOD_ARCHITECTURES=all, or use --device cpu");
  }
  check(status);
}

/// A GPU, current from here on: what is made behind it is made there.
class Gpu {
 public:
  explicit Gpu(int index) : index_(index) {
    use();
    check(cudaGetDeviceProperties(&properties_, index));
    check_has_code(properties_);
    check(cudaDeviceGetPCIBusId(pci_bus_id_, sizeof pci_bus_id_, index));
  }
  void use() const { check(cudaSetDevice(index_)); }
  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] const cudaDeviceProp& properties() const { return properties_; }
  [[nodiscard]] const char* pci_bus_id() const { return pci_bus_id_; }

 private:
  int index_;
  cudaDeviceProp properties_{};
  char pci_bus_id_[16] = "";
};

}  // namespace

}  // namespace minimod
