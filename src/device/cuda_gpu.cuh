/// A GPU of the machine.
#pragma once

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/device/cuda_resources.cuh"
#include "src/device/field_kernels.hpp"

namespace minimod {

/// A kernel of this program, to ask a GPU whether there is code for it.
static __global__ void no_work() {}

/// Refuses a GPU for which the binary holds neither machine code nor PTX.
inline void check_has_code(const cudaDeviceProp& properties) {
  cudaFuncAttributes attributes;
  const cudaError_t status = cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(no_work));
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction ||
      status == cudaErrorUnsupportedPtxVersion) {
    cudaGetLastError();  // nothing for the next GPU to be blamed with
    throw Error(ErrorKind::unavailable,
                text("no code for ", properties.name, " (", gpu_api::code_name(properties),
                     ") in this program, built for ", MINIMOD_GPU_ARCHITECTURES),
                text("build with MINIMOD_ARCHITECTURES=all, or use ", option("device"), " cpu"));
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

/// The kernels of a GPU on fields, in a stream.
[[nodiscard]] std::unique_ptr<FieldKernels> make_cuda_field_kernels(Backend& backend, const Gpu& gpu,
                                                                    cudaStream_t stream);

/// The host's ceilings and reads from shared memory, on the present GPU.
[[nodiscard]] std::vector<Ceiling> measure_cuda_ceilings(Backend& backend, cudaStream_t stream);
[[nodiscard]] StreamRates measure_cuda_stream_rates(Backend& backend, cudaStream_t stream,
                                                    Thoroughness thoroughness);

}  // namespace minimod
