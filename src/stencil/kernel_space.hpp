/// Tiles of a family among which a specification's kernels are searched, and the work of a block of such a
/// kernel, for a tuner.
#pragma once

#include <vector>

#include "kernels/tiles/tile_space.hpp"
#include "src/stencil/kernel_family.hpp"

namespace minimod::stencil {

/// Kernels of the family of `like`, read-only path or not as that, which can take the specification: tiles as
/// the code shapes of the same form have them (kernels/tiles/tile_space.hpp).
[[nodiscard]] std::vector<KernelName> kernel_space(const KernelName& like, const Specification& specification,
                                                   int warp = usual_warp);

/// Work of a kernel's launch over a grid.
[[nodiscard]] BlockWork work_of(const KernelName& kernel, const Specification& specification, Extent3 grid,
                                int warp = usual_warp);

}  // namespace minimod::stencil
