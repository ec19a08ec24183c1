/// Four values that are loaded and stored at once, and what of them a box holds.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

template <class Real>
struct alignas(4 * sizeof(Real)) Vector4 {
  Real value[4];
};

/// The vector at an aligned index of a field.
template <class Real>
MINIMOD_HD inline const Vector4<Real>& vector_at(const Real* field, std::int64_t index) {
  return *reinterpret_cast<const Vector4<Real>*>(field + index);
}

/// Bit i: point x + i lies in the box.
MINIMOD_HD inline unsigned lanes_in_box(const Box3& box, int x) {
  unsigned lanes = 0;
  for (int i = 0; i < 4; ++i) {
    if (x + i >= box.begin.x && x + i < box.end.x) lanes |= 1U << i;
  }
  return lanes;
}

/// Stores the values that `lanes` has a bit for.
template <class Real>
MINIMOD_HD inline void store_lanes(Real* to, const Vector4<Real>& vector, unsigned lanes) {
  if (lanes == 0xf) {
    *reinterpret_cast<Vector4<Real>*>(to) = vector;
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if ((lanes >> i & 1U) != 0) to[i] = vector.value[i];
  }
}

/// Stores the first `count` values, all from four on; not for a count below one.
MINIMOD_HD inline void store_first(float* to, const Vector4<float>& vector, int count) {
  if (count >= 4) {
    *reinterpret_cast<Vector4<float>*>(to) = vector;
    return;
  }
  if (count >= 2) to[1] = vector.value[1];
  if (count == 3) to[2] = vector.value[2];
  to[0] = vector.value[0];
}

/// The first point of the tiles over a box: on a vector of the memory, at most three points before the box.
MINIMOD_HD inline Index3 first_of_vectors(const Box3& box, const Layout& at) {
  const std::int64_t before = at.index(box.begin.x, box.begin.y, box.begin.z) % vector_alignment;
  return {box.begin.x - static_cast<int>(before), box.begin.y, box.begin.z};
}

}  // namespace minimod
