/// Facts of the device behind an execution space that Kokkos itself does not tell, in the back end's own
/// words.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "src/base/process/host_memory.hpp"
#include "src/device/host_facts.hpp"

namespace minimod {

struct KokkosDeviceFacts {
  std::string name;
  int units = 0;  ///< multiprocessors; of a CPU threads
  std::size_t memory_bytes = 0, free_bytes = 0;
};

#if defined(KOKKOS_ENABLE_CUDA)
inline KokkosDeviceFacts facts_of(const Kokkos::Cuda& space) {
  std::size_t free = 0, total = 0;
  static_cast<void>(cudaMemGetInfo(&free, &total));  // zeros leave no room for a run
  const cudaDeviceProp& properties = space.cuda_device_prop();
  return {properties.name, properties.multiProcessorCount, total, free};
}
#endif

#if defined(KOKKOS_ENABLE_HIP)
inline KokkosDeviceFacts facts_of(const Kokkos::HIP& space) {
  std::size_t free = 0, total = 0;
  static_cast<void>(hipMemGetInfo(&free, &total));
  const hipDeviceProp_t& properties = space.hip_device_prop();
  return {properties.name, properties.multiProcessorCount, total, free};
}
#endif

#if defined(KOKKOS_ENABLE_SYCL)
/// SYCL tells no free memory but by an extension: all of it counts, and the allocation says what lacks.
inline KokkosDeviceFacts facts_of(const Kokkos::SYCL& space) {
  const sycl::device device = space.sycl_queue().get_device();
  const std::size_t memory = device.get_info<sycl::info::device::global_mem_size>();
  return {device.get_info<sycl::info::device::name>(),
          static_cast<int>(device.get_info<sycl::info::device::max_compute_units>()), memory, memory};
}
#endif

/// Facts of a host's execution space.
template <class Space>
KokkosDeviceFacts facts_of(const Space& space) {
  const std::size_t free = available_host_memory();
  return {processor_name(), static_cast<int>(space.concurrency()), free, free};
}

}  // namespace minimod
