/// How `kokkos` updates blocks where a processor has AVX-512 (x86-64-v4): a function for each formula, in a
/// file of its own that is compiled for such processors.
#pragma once

#include "kernels/update.hpp"

namespace minimod {

#if defined(__x86_64__) && defined(__GNUC__)
inline constexpr bool has_row_packs = true;
#else
inline constexpr bool has_row_packs = false;
#endif

namespace x86_64_v4 {

/// Updates the points of a block.
template <class Update>
void update_block(const StencilArgs<float>& args, const Box3& block);

extern template void update_block<InnerUpdate<float>>(const StencilArgs<float>&, const Box3&);
extern template void update_block<PmlUpdate<float>>(const StencilArgs<float>&, const Box3&);
extern template void update_block<MixedUpdate<float>>(const StencilArgs<float>&, const Box3&);

}  // namespace x86_64_v4

}  // namespace minimod
