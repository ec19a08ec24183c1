/// Several values computed at once: a vector of the processor, by an extension that GCC and clang share.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/cpu_level.hpp"

namespace minimod {

/// Calls work(0), …, work(Count - 1) with numbers that are types, so that they may index what is in
/// registers.
template <int Count, class Work>
MINIMOD_INLINE void unrolled(const Work& work) {
  [&]<int... i>(std::integer_sequence<int, i...>) MINIMOD_INLINED {
    (work(std::integral_constant<int, i>()), ...);
  }
  (std::make_integer_sequence<int, Count>());
}

/// A vector of `Lanes` values, and what is computed with it. Of a loop over the lanes compilers make one
/// instruction.
template <class Real, int Lanes>
struct VectorOf {
  typedef Real Type __attribute__((vector_size(Lanes * sizeof(Real))));  // GCC does not hear `using` here
  static MINIMOD_INLINE Type all(Real value) { return value - Type{}; }  // 0 + (−0) would be 0
  static MINIMOD_INLINE Type add(const Type& a, const Type& b) { return a + b; }
  static MINIMOD_INLINE Type subtract(const Type& a, const Type& b) { return a - b; }
  static MINIMOD_INLINE Type multiply(const Type& a, const Type& b) { return a * b; }
  static MINIMOD_INLINE Type divide(const Type& a, const Type& b) { return a / b; }
  static MINIMOD_INLINE Type fused(const Type& a, const Type& b, const Type& c) {
    Type result;
    for (int i = 0; i < Lanes; ++i) result[i] = std::fma(a[i], b[i], c[i]);
    return result;
  }
  /// The first `count` lanes of a, the others of b.
  static MINIMOD_INLINE Type first_of(int count, const Type& a, const Type& b) {
    using Int = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
    typedef Int Ints __attribute__((vector_size(Lanes * sizeof(Real))));
    Ints lane;
    for (int i = 0; i < Lanes; ++i) lane[i] = i;
    return lane < static_cast<Int>(count) ? a : b;
  }
};

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

// GCC splits what is computed with wide vectors before it inlines a function into one of a level. These are
// left whole.
template <>
struct VectorOf<float, 16> {
  using Type = float [[gnu::vector_size(64)]];
  static constexpr std::uint16_t every = 0xffff;
  static constexpr int rounding = 4;  // as the processor is set
  static MINIMOD_INLINE Type all(float value) {
    using Four = float [[gnu::vector_size(16)]];
    return __builtin_ia32_broadcastss512(Four{value}, Type{}, every);
  }
  static MINIMOD_INLINE Type add(const Type& a, const Type& b) {
    return __builtin_ia32_addps512_mask(a, b, a, every, rounding);
  }
  static MINIMOD_INLINE Type subtract(const Type& a, const Type& b) {
    return __builtin_ia32_subps512_mask(a, b, a, every, rounding);
  }
  static MINIMOD_INLINE Type multiply(const Type& a, const Type& b) {
    return __builtin_ia32_mulps512_mask(a, b, a, every, rounding);
  }
  static MINIMOD_INLINE Type divide(const Type& a, const Type& b) {
    return __builtin_ia32_divps512_mask(a, b, a, every, rounding);
  }
  static MINIMOD_INLINE Type fused(const Type& a, const Type& b, const Type& c) {
    return __builtin_ia32_vfmaddps512_mask(a, b, c, every, rounding);
  }
  static MINIMOD_INLINE Type first_of(int count, const Type& a, const Type& b) {
    return __builtin_ia32_blendmps_512_mask(b, a, static_cast<std::uint16_t>((1U << count) - 1));
  }
};

template <>
struct VectorOf<float, 8> {
  using Type = float [[gnu::vector_size(32)]];
  static MINIMOD_INLINE Type all(float value) {
    using Four = float [[gnu::vector_size(16)]];
    return __builtin_ia32_vbroadcastss_ps256(Four{value});
  }
  static MINIMOD_INLINE Type add(const Type& a, const Type& b) { return __builtin_ia32_addps256(a, b); }
  static MINIMOD_INLINE Type subtract(const Type& a, const Type& b) { return __builtin_ia32_subps256(a, b); }
  static MINIMOD_INLINE Type multiply(const Type& a, const Type& b) { return __builtin_ia32_mulps256(a, b); }
  static MINIMOD_INLINE Type divide(const Type& a, const Type& b) { return __builtin_ia32_divps256(a, b); }
  static MINIMOD_INLINE Type fused(const Type& a, const Type& b, const Type& c) {
    return __builtin_ia32_vfmaddps256(a, b, c);
  }
  static MINIMOD_INLINE Type first_of(int count, const Type& a, const Type& b) {
    static constexpr std::int32_t masks[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    Type mask;
    std::memcpy(&mask, masks + 8 - count, sizeof mask);
    return __builtin_ia32_blendvps256(b, a, mask);
  }
};

#endif

/// To formulas a number like any other.
template <class RealType, int Lanes>
struct Pack {
  using Real = RealType;
  static constexpr int lanes = Lanes;
  using Vector = VectorOf<Real, Lanes>;
  typename Vector::Type v;

  Pack() = default;
  MINIMOD_INLINE Pack(Real value) : v(Vector::all(value)) {}
  static MINIMOD_INLINE Pack of(const typename Vector::Type& v) {
    Pack result;
    result.v = v;
    return result;
  }
  static MINIMOD_INLINE Pack load(const Real* from) {
    Pack result;
    std::memcpy(&result.v, from, sizeof result.v);
    return result;
  }
  MINIMOD_INLINE void store(Real* to) const { std::memcpy(to, &v, sizeof v); }

  friend MINIMOD_INLINE Pack operator+(const Pack& a, const Pack& b) { return of(Vector::add(a.v, b.v)); }
  friend MINIMOD_INLINE Pack operator-(const Pack& a, const Pack& b) {
    return of(Vector::subtract(a.v, b.v));
  }
  friend MINIMOD_INLINE Pack operator*(const Pack& a, const Pack& b) {
    return of(Vector::multiply(a.v, b.v));
  }
  friend MINIMOD_INLINE Pack operator/(const Pack& a, const Pack& b) { return of(Vector::divide(a.v, b.v)); }
  friend MINIMOD_INLINE Pack operator-(const Pack& a) { return Pack(Real(-1)) * a; }
  friend MINIMOD_INLINE Pack fused(const Pack& a, const Pack& b, const Pack& c) {
    return of(Vector::fused(a.v, b.v, c.v));
  }
  friend MINIMOD_INLINE Pack first_of(int count, const Pack& a, const Pack& b) {
    return of(Vector::first_of(count, a.v, b.v));
  }
};

}  // namespace minimod
