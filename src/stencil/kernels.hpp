/// Kernels of a specification, compiled for a grid of a device.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "src/device/backend.hpp"
#include "src/stencil/array_set.hpp"
#include "src/stencil/kernel_family.hpp"

namespace minimod::stencil {

struct Kernel {
  std::function<void(const ArrayArgs& args)> run;  ///< over the box
  std::optional<LaunchFacts> facts;                ///< facts on a GPU
};

/// Over all points of a grid or fewer planes of it, in the order of the names. `gpu`: null on the host, which
/// emulates the threads of a GPU's kernels one by one. Errors: those of `require`, 64 one of cores on a GPU,
/// 69 where one does not compile, 71 what the GPU cannot launch.
[[nodiscard]] std::vector<Kernel> compile_kernels(const Specification& specification,
                                                  std::span<const KernelName> names, Extent3 n, Backend* gpu);

/// The same specification with all arrays in that precision.
[[nodiscard]] Specification with_precision(Specification specification, Precision precision);

}  // namespace minimod::stencil
