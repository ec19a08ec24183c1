/// Which tiles of a family a specification's kernels are searched among, and what a block of such a kernel
/// has to do: what a tuner needs to know of a family.
#pragma once

#include <vector>

#include "kernels/tiles/tile_space.hpp"
#include "src/stencil/kernel_family.hpp"

namespace minimod::stencil {

/// Kernels of the family of `like`, read-only path or not as that, which can take the specification: tiles as
/// the code shapes of the same form have them (kernels/tiles/tile_space.hpp).
[[nodiscard]] std::vector<KernelName> kernel_space(const KernelName& like,
                                                   const Specification& specification);

/// What the launch of a kernel over a grid has to do.
[[nodiscard]] BlockWork work_of(const KernelName& kernel, const Specification& specification, Extent3 grid);

}  // namespace minimod::stencil
