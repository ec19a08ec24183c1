/// All kernels that relax a plate, by name.
#pragma once

#include <string>
#include <vector>

#include "kernels/code_shape.hpp"
#include "kernels/relaxation/plate.hpp"

namespace minimod::relaxation {

/// Launches over the nodes of one colour; null where there are none.
template <class Real>
struct HalfSweep {
  void (*run)(const PlateArgs<Real>& args, void* stream) = nullptr;  ///< `stream`: a cudaStream_t
  LaunchFacts (*facts)(const PlateArgs<Real>& args) = nullptr;       ///< of a GPU. Error 71 where it refuses
};

/// Of one shape on a GPU.
struct DeviceHalfSweeps {
  HalfSweep<float> in_single;
  HalfSweep<double> in_double;
};

struct Kernel {
  std::string name, family, summary;
  Storage storage = Storage::aligned_rows;
  bool is_red_black = true;  ///< else a launch of red relaxes all nodes one after the other, and black none
  bool emulated = false;     ///< on the host, where the threads of a GPU are played
  HalfSweep<float> host_single, device_single;
  HalfSweep<double> host_double, device_double;

  template <class Real>
  [[nodiscard]] const HalfSweep<Real>& half_sweep(bool on_device) const {
    if constexpr (sizeof(Real) == sizeof(float)) {
      return on_device ? device_single : host_single;
    } else {
      return on_device ? device_double : host_double;
    }
  }
};

/// On all cores, each colour in rows of its own; the yardstick for the bits of all red-black kernels.
inline constexpr const char* portable_kernel = "kokkos";
/// On one core, node after node: what the paper holds its GPU against.
inline constexpr const char* sequential_kernel = "sequential";

[[nodiscard]] const std::vector<Kernel>& all_kernels();

/// By its name, or by that of a family, which stands for its first shape. Error 64 with the nearest names.
[[nodiscard]] const Kernel& find_kernel(const std::string& name);

/// Puts the size_bits of the greatest defect (PlateArgs::defect) into *greatest, which is 0 before.
template <class Real>
void find_defect_on_host(const PlateArgs<Real>& args, std::uint64_t* greatest);
template <class Real>
void find_defect_on_device(const PlateArgs<Real>& args, std::uint64_t* greatest, void* stream);

/// Of the shape of that number in the list; nothing in a build without CUDA.
[[nodiscard]] std::vector<DeviceHalfSweeps> device_half_sweeps();

}  // namespace minimod::relaxation
