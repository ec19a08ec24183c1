/// Family `tma_whole`: two time steps of the whole domain, PML included, in one launch, for the schedule
/// `whole`. Blocks, rings and progress are those of `tma_two_steps`; tiles lie over all points.
///
/// A tile runs one of four forms of the loop over planes: inner points alone; x slabs of the PML
/// (coefficients from a table, one product a point more); y slabs, x perhaps too; and the planes near the z
/// slabs, of any tile. What a thread carries from form to form is its queue of four planes; all else is made
/// anew, as a register that lived through all forms would be spilled by the one with the least room.
///
/// φ costs no register beyond the plane at hand. When plane z comes as the newest of the in-plane method, the
/// old φ(z), loaded before the wait for the plane, becomes a term of the sum ∇²u + φ that begins there, and
/// φ⁺ without its part along z is stored right away. Near the z slabs that part of φ⁺(z - 1), which needs
/// u(z), is added in the L2, where nothing waits for it. Tiles without x and y slabs meet φ(z - 1) as a whole
/// when plane z is there. φ at the next step goes from the first step's threads to the second's of the same
/// place through the L2; `phi` is read only, as points in which rounds overlap do the first step twice.
/// Rows of φ in the x slabs are stored in whole sectors of 32 B: one that is written in part is read first.
///
/// The loop is rolled: the queue moves on by a slot a plane. Multiprocessors seem to share a cache of
/// instructions, and four unrolled forms push each other out of it.
///
/// Both steps' arithmetic is that of kernels/update.hpp, but for the order of the sums and reciprocals of one
/// rounding more. Our own. Needs compute capability 9.0.
#pragma once

#include "kernels/shapes/tma_two_steps.hpp"

namespace minimod {

struct TmaWhole : TmaTwoSteps<16, 8, 4, 2, 2, 11, 9> {
  static constexpr const char* family = "tma_whole";
  static constexpr const char* summary = "two steps of the whole domain, PML included, in one launch";
  static constexpr const char* sums = "tma_whole";
};

using TmaWholeList = TypeList<TmaWhole>;

/// In the order of the list; all empty in a build without code for sm_90a.
[[nodiscard]] std::array<Launches, TmaWholeList::size> tma_whole_launches();

}  // namespace minimod
