/// All kernels that relax a plate, by name.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kernels/code_shape.hpp"
#include "kernels/equations/heat.hpp"

namespace minimod::relaxation {

/// Functions that launch a device's kernels on a plate; null where it has no such kernel.
template <class Real>
struct PlateLauncher {
  /// Relaxes the nodes of one colour.
  void (*half_sweep)(const PlateArgs<Real>& args, Stream stream) = nullptr;
  /// Puts the size_bits of the greatest defect (PlateArgs::defect) into *greatest, which is 0 before.
  void (*find_defect)(const PlateArgs<Real>& args, std::uint64_t* greatest, Stream stream) = nullptr;
  /// Facts of a half sweep on a GPU. Error 71 where it refuses.
  LaunchFacts (*facts)(const Box3& box) = nullptr;
};

/// In both precisions.
using PlateLaunchers = std::tuple<PlateLauncher<float>, PlateLauncher<double>>;

struct Kernel {
  std::string name, family;
  Storage storage = Storage::aligned_rows;
  bool is_red_black = true;  ///< else a launch of red relaxes all nodes one after the other, and black none
  bool emulated = false;     ///< on the host, where the threads of a GPU are emulated
  PlateLaunchers host{}, device{};
  FamilyNames names{};

  template <class Real>
  [[nodiscard]] const PlateLauncher<Real>& launcher(bool on_device) const {
    return std::get<PlateLauncher<Real>>(on_device ? device : host);
  }
};

/// On all cores, each colour in rows of its own; the yardstick for the bits of all red-black kernels.
inline constexpr const char* portable_kernel = "kokkos";
/// On one core, node after node: what the paper holds its GPU against.
inline constexpr const char* sequential_kernel = "sequential";

[[nodiscard]] const std::vector<Kernel>& all_kernels();

/// By its name, or by that of a family, which stands for its first shape; other names of a family that lies
/// in aligned rows are read, too. Error 64 with the nearest names.
[[nodiscard]] const Kernel& find_kernel(std::string_view name);

/// On the host: the nodes of one colour on all cores, where colours lie apart.
[[nodiscard]] PlateLaunchers launchers_on_all_cores();
/// At red all nodes, x fastest, each from what those before it have become (equation 3 of Itu et al. 2011);
/// at black nothing.
[[nodiscard]] PlateLaunchers launchers_in_sequence();
/// Launchers of each shape, by its number in the list; nothing in a build without CUDA.
[[nodiscard]] std::vector<PlateLaunchers> device_launchers();

}  // namespace minimod::relaxation
