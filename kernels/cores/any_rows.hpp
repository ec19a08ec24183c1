/// How `kokkos` updates planes with a stencil that is not the common one: of a radius that is known when the
/// program runs, in a file of its own that is compiled for x86-64-v3.
#pragma once

#include "kernels/update.hpp"

namespace minimod::x86_64_v3 {

/// Updates the points of a plane of a block.
template <class Update>
void update_plane(const typename Update::Args& args, const Box3& plane, int next_z);

}  // namespace minimod::x86_64_v3
