/// The GPU of a program that reaches it through Kokkos: the default execution space.
#include "src/device/kokkos/kokkos_backend.hpp"

namespace minimod {

namespace {

/// One: Kokkos takes it when it starts, and says then why it has none.
DevicesFound find_device() {
  return {1, ""};
}

std::unique_ptr<Backend> make_device(int index) {
  if (index > 0) {
    throw Error(ErrorKind::unavailable, text("there is no GPU ", index, ": Kokkos takes one a process"),
                text("leave the number out; KOKKOS_DEVICE_ID=", index, " has Kokkos take that one"));
  }
  static_cast<void>(make_host_backend());  // threads that may be the device's take denormals for zero
  return std::make_unique<KokkosBackend<Kokkos::DefaultExecutionSpace>>();
}

}  // namespace

const DeviceKind gpu_devices{gpu_kind, find_device, make_device, [](int /*index*/) noexcept {}};

}  // namespace minimod
