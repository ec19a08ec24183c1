/// The shapes of a half sweep: the common families over the plate's equation, by the names of Itu et al.,
/// "GPU Optimized Computation of Stencil Based Algorithms" (RoEduNet 2011). The paper relaxes from one array
/// into another, these in place. Where colours lie among each other, the threads of the other one do nothing,
/// and a node and sweep moves 16 B in single precision; where they are apart 12, as a half sweep reads and
/// writes lines of its own colour alone.
#pragma once

#include "kernels/relaxation/partial_shared.hpp"
#include "kernels/shapes/gmem.hpp"
#include "kernels/shapes/smem_u.hpp"
#include "kernels/type_list.hpp"

namespace minimod::relaxation {

/// Rows right behind each other: accesses of a warp begin anywhere in a line. Sections III and IV of the
/// paper.
template <class Real, int Dx, int Dy>
struct Uncoalesced : Gmem<Heat<Real>, Dx, Dy, 1> {
  static constexpr const char* family = "uncoalesced";
  static constexpr Storage storage = Storage::packed_rows;
};

/// Rows padded to lines of 128 B: they begin where a line does.
template <class Real, int Dx, int Dy>
struct Coalesced : Gmem<Heat<Real>, Dx, Dy, 1> {
  static constexpr const char* family = "coalesced";
  static constexpr Storage storage = Storage::aligned_rows;
};

/// The tile and its four sides in shared memory. Figure 3 of the paper.
template <class Real, int Dx, int Dy>
struct FullShared : SmemU<Heat<Real>, Dx, Dy, 1> {
  static constexpr const char* family = "full_shared";
  static constexpr Storage storage = Storage::aligned_rows;
};

/// Ours, each colour in rows of its own: no thread is idle, and each access of a warp is one of neighbouring
/// values.
template <class Real, int Dx, int Dy>
struct ColoursApart : Gmem<HeatOfColour<Real>, Dx, Dy, 1> {
  static constexpr const char* family = "colours_apart";
  static constexpr Storage storage = Storage::colours_apart;
};

/// Dx, Dy: threads. One line a shape, of which names, launches and tests follow. Blocks of 16x16 threads,
/// half-warps of which share a row, are what the paper's counts of transactions tell.
using ShapeList = TypeList<        //
    Tiled<Uncoalesced, 16, 16>,    //
    Tiled<Uncoalesced, 32, 8>,     //
    Tiled<Coalesced, 16, 16>,      //
    Tiled<Coalesced, 32, 8>,       //
    Tiled<FullShared, 16, 16>,     //
    Tiled<FullShared, 32, 8>,      //
    Tiled<PartialShared, 16, 16>,  //
    Tiled<PartialShared, 32, 8>,   //
    Tiled<ColoursApart, 32, 4>,    //
    Tiled<ColoursApart, 32, 8>,    //
    Tiled<ColoursApart, 64, 4>>;

}  // namespace minimod::relaxation
