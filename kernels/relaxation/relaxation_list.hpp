/// The list of the shapes of a half sweep: one line a shape, of which names, launches and tests follow.
#pragma once

#include <tuple>

#include "kernels/relaxation/colours_apart.hpp"
#include "kernels/relaxation/full_shared.hpp"
#include "kernels/relaxation/partial_shared.hpp"
#include "kernels/relaxation/point_per_thread.hpp"

namespace minimod::relaxation {

/// A family with the threads of its blocks.
template <template <class, int, int> class Family, int Dx, int Dy>
struct Listed {
  template <class Real>
  using Body = Family<Real, Dx, Dy>;
};

/// Blocks of 16x16 threads, half-warps of which share a row, are what the paper's counts of transactions
/// tell.
using ShapeList = std::tuple<       //
    Listed<Uncoalesced, 16, 16>,    //
    Listed<Uncoalesced, 32, 8>,     //
    Listed<Coalesced, 16, 16>,      //
    Listed<Coalesced, 32, 8>,       //
    Listed<FullShared, 16, 16>,     //
    Listed<FullShared, 32, 8>,      //
    Listed<PartialShared, 16, 16>,  //
    Listed<PartialShared, 32, 8>,   //
    Listed<ColoursApart, 32, 4>,    //
    Listed<ColoursApart, 32, 8>,    //
    Listed<ColoursApart, 64, 4>>;

/// Calls work.template operator()<Entry>(index) for each of the list.
template <class Work>
void for_each_shape(const Work& work) {
  [&]<class... Entries>(const std::tuple<Entries...>*) {
    std::size_t index = 0;
    (work.template operator()<Entries>(index++), ...);
  }(static_cast<const ShapeList*>(nullptr));
}

}  // namespace minimod::relaxation
