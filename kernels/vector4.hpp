/// Vectors of reals along x, and what of them a box holds; sums of those of four.
#pragma once

#include "kernels/stencil.hpp"

namespace minimod {

template <class Real>
using Vector4 = Vector<Real, 4>;

template <class Real>
MINIMOD_HD inline Vector4<Real> operator+(const Vector4<Real>& a, const Vector4<Real>& b) {
  return {a.value[0] + b.value[0], a.value[1] + b.value[1], a.value[2] + b.value[2], a.value[3] + b.value[3]};
}
template <class Real>
MINIMOD_HD inline Vector4<Real> operator-(const Vector4<Real>& a, const Vector4<Real>& b) {
  return {a.value[0] - b.value[0], a.value[1] - b.value[1], a.value[2] - b.value[2], a.value[3] - b.value[3]};
}
template <class Real>
MINIMOD_HD inline Vector4<Real> operator*(Real a, const Vector4<Real>& b) {
  return {a * b.value[0], a * b.value[1], a * b.value[2], a * b.value[3]};
}
template <class Real>
MINIMOD_HD inline Vector4<Real> operator*(const Vector4<Real>& a, const Vector4<Real>& b) {
  return {a.value[0] * b.value[0], a.value[1] * b.value[1], a.value[2] * b.value[2], a.value[3] * b.value[3]};
}
template <class Real>
MINIMOD_HD inline Vector4<Real> lesser(const Vector4<Real>& a, const Vector4<Real>& b) {
  return {lesser(a.value[0], b.value[0]), lesser(a.value[1], b.value[1]), lesser(a.value[2], b.value[2]),
          lesser(a.value[3], b.value[3])};
}

/// a b + c of each value.
template <class Real>
MINIMOD_HD inline Vector4<Real> fused(const Vector4<Real>& a, const Vector4<Real>& b,
                                      const Vector4<Real>& c) {
  return {fused(a.value[0], b.value[0], c.value[0]), fused(a.value[1], b.value[1], c.value[1]),
          fused(a.value[2], b.value[2], c.value[2]), fused(a.value[3], b.value[3], c.value[3])};
}
template <class Real>
MINIMOD_HD inline Vector4<Real> fused(Real a, const Vector4<Real>& b, const Vector4<Real>& c) {
  return fused(Vector4<Real>{a, a, a, a}, b, c);
}

/// The vector at an aligned index of a field.
template <class Real>
MINIMOD_HD inline const Vector<Real, reals_of_vector<Real>>& vector_at(const Real* field,
                                                                       std::int64_t index) {
  return *reinterpret_cast<const Vector<Real, reals_of_vector<Real>>*>(field + index);
}

/// Bit i: point x + i of a vector's lies in the box.
template <int V = 4>
MINIMOD_HD inline unsigned lanes_in_box(const Box3& box, int x) {
  unsigned lanes = 0;
  for (int i = 0; i < V; ++i) {
    if (x + i >= box.begin.x && x + i < box.end.x) lanes |= 1U << i;
  }
  return lanes;
}

/// Stores the values that `lanes` has a bit for.
template <class Real, int V>
MINIMOD_HD inline void store_lanes(Real* to, const Vector<Real, V>& vector, unsigned lanes) {
  if (lanes == (1U << V) - 1) {
    *reinterpret_cast<Vector<Real, V>*>(to) = vector;
    return;
  }
#pragma unroll
  for (int i = 0; i < V; ++i) {
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
