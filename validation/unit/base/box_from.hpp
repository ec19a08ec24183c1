#pragma once

#include "kernels/grid.hpp"

namespace minimod {

[[nodiscard]] inline Box3 box_from(Index3 begin, Extent3 n) {
  return {begin, {begin.x + n.x, begin.y + n.y, begin.z + n.z}};
}

}  // namespace minimod
