/// How `kokkos` updates a plane of a block where a processor has AVX-512 (x86-64-v4): a function for each
/// formula, in a file of its own that is compiled for such processors.
#pragma once

#include "kernels/update.hpp"

namespace minimod {

#if defined(__x86_64__) && defined(__GNUC__)
inline constexpr bool has_row_packs = true;
#else
inline constexpr bool has_row_packs = false;
#endif

namespace x86_64_v4 {

/// Updates the points of a plane of a block, and fetches what plane next_z needs.
template <class Update>
void update_plane(const WaveArgs<float>& args, const Box3& plane, int next_z);

extern template void update_plane<InnerUpdate<float>>(const WaveArgs<float>&, const Box3&, int);
extern template void update_plane<PmlUpdate<float>>(const WaveArgs<float>&, const Box3&, int);

}  // namespace x86_64_v4

}  // namespace minimod
