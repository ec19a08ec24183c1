/// Values of several points as one, for files that are compiled for x86-64-v3 (AVX2 and FMA). All is inlined
/// always: of a function that files of several levels have out of line the linker keeps one copy.
#pragma once

#include <cmath>
#include <cstring>

#include "kernels/host/cpu_level.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace minimod::x86_64_v3 {

inline constexpr int vector_bytes = 32;

/// A vector of the processor, or what the compiler makes of it elsewhere.
template <class Real>
struct VectorOf {
  static constexpr int lanes = vector_bytes / static_cast<int>(sizeof(Real));
  typedef Real type __attribute__((vector_size(vector_bytes)));
};

template <class Real>
using Vector = typename VectorOf<Real>::type;

template <class V>
MINIMOD_INLINE V fused_vectors(V a, V b, V c) {
#if defined(__AVX2__) && defined(__FMA__)
  if constexpr (sizeof(a[0]) == sizeof(float)) {
    return _mm256_fmadd_ps(a, b, c);
  } else {
    return _mm256_fmadd_pd(a, b, c);
  }
#else
  for (std::size_t i = 0; i < sizeof(V) / sizeof(a[0]); ++i) a[i] = std::fma(a[i], b[i], c[i]);
  return a;
#endif
}

/// `Count` vectors, a power of two, to formulas a number like any other: two halves, since of arrays
/// compilers make no registers.
template <class RealType, int Count>
struct Pack {
  using Real = RealType;
  using Half = Pack<Real, Count / 2>;
  static constexpr int lanes = 2 * Half::lanes;
  Half low, high;

  Pack() = default;
  MINIMOD_INLINE Pack(const Half& first, const Half& second) : low(first), high(second) {}
  MINIMOD_INLINE Pack(Real value) : low(value), high(value) {}
  static MINIMOD_INLINE Pack load(const Real* from) {
    return {Half::load(from), Half::load(from + Half::lanes)};
  }
  MINIMOD_INLINE void store(Real* to) const {
    low.store(to);
    high.store(to + Half::lanes);
  }

  friend MINIMOD_INLINE Pack operator+(const Pack& a, const Pack& b) {
    return {a.low + b.low, a.high + b.high};
  }
  friend MINIMOD_INLINE Pack operator-(const Pack& a, const Pack& b) {
    return {a.low - b.low, a.high - b.high};
  }
  friend MINIMOD_INLINE Pack operator*(const Pack& a, const Pack& b) {
    return {a.low * b.low, a.high * b.high};
  }
  friend MINIMOD_INLINE Pack operator/(const Pack& a, const Pack& b) {
    return {a.low / b.low, a.high / b.high};
  }
  friend MINIMOD_INLINE Pack operator-(const Pack& a) { return {-a.low, -a.high}; }
  friend MINIMOD_INLINE Pack fused(const Pack& a, const Pack& b, const Pack& c) {
    return {fused(a.low, b.low, c.low), fused(a.high, b.high, c.high)};
  }
  friend MINIMOD_INLINE Pack lesser(const Pack& a, const Pack& b) {
    return {lesser(a.low, b.low), lesser(a.high, b.high)};
  }
};

template <class RealType>
struct Pack<RealType, 1> {
  using Real = RealType;
  using V = Vector<Real>;
  static constexpr int lanes = VectorOf<Real>::lanes;
  V v;

  Pack() = default;
  MINIMOD_INLINE Pack(const V& values) : v(values) {}
  MINIMOD_INLINE Pack(Real value) : v(value - V{}) {}
  static MINIMOD_INLINE Pack load(const Real* from) {
    V values;
    std::memcpy(&values, from, sizeof values);
    return values;
  }
  MINIMOD_INLINE void store(Real* to) const { std::memcpy(to, &v, sizeof v); }

  friend MINIMOD_INLINE Pack operator+(const Pack& a, const Pack& b) { return a.v + b.v; }
  friend MINIMOD_INLINE Pack operator-(const Pack& a, const Pack& b) { return a.v - b.v; }
  friend MINIMOD_INLINE Pack operator*(const Pack& a, const Pack& b) { return a.v * b.v; }
  friend MINIMOD_INLINE Pack operator/(const Pack& a, const Pack& b) { return a.v / b.v; }
  friend MINIMOD_INLINE Pack operator-(const Pack& a) { return -a.v; }
  friend MINIMOD_INLINE Pack fused(const Pack& a, const Pack& b, const Pack& c) {
    return fused_vectors(a.v, b.v, c.v);
  }
  friend MINIMOD_INLINE Pack lesser(const Pack& a, const Pack& b) { return b.v < a.v ? b.v : a.v; }
};

/// Points of a row that are all its own.
template <class PackType>
struct AllLanes {
  using Pack = PackType;
  using Real = typename Pack::Real;
  MINIMOD_INLINE Pack load(const Real* from) const { return Pack::load(from); }
  MINIMOD_INLINE void store(Real* to, const Pack& p) const { p.store(to); }
};

/// A vector at a row's end, whose first points are done: they keep the values that they have.
template <class RealType>
struct LastLanes {
  using Real = RealType;
  using Pack = x86_64_v3::Pack<Real, 1>;
  Vector<Real> done;  ///< how many, in each lane

  MINIMOD_INLINE explicit LastLanes(int done_points)
      : done(static_cast<Real>(done_points) - Vector<Real>{}) {}
  MINIMOD_INLINE Pack load(const Real* from) const { return Pack::load(from); }
  MINIMOD_INLINE void store(Real* to, const Pack& p) const {
    Vector<Real> lane;
    for (int i = 0; i < Pack::lanes; ++i) lane[i] = static_cast<Real>(i);
    Pack(lane < done ? Pack::load(to).v : p.v).store(to);
  }
};

}  // namespace minimod::x86_64_v3
