/// Parts of the standard library that the shapes' headers use, for a compiler of GPU code that has none
/// beside it (nvrtc, hiprtc): each standard header that they include is this file there.
#pragma once

#ifdef __HIPCC_RTC__  // in whose std there is some of it, and other things in each version
#define std device_std
#pragma clang force_cuda_host_device begin
#endif

namespace std {

using size_t = decltype(sizeof 0);
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
// As on the machines that have GPUs.
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using int64_t = long;
using uint64_t = unsigned long;

template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;
template <class T>
inline constexpr bool is_empty_v = __is_empty(T);

template <bool Condition, class Then, class Else>
struct conditional {
  using type = Then;
};
template <class Then, class Else>
struct conditional<false, Then, Else> {
  using type = Else;
};
template <bool Condition, class Then, class Else>
using conditional_t = typename conditional<Condition, Then, Else>::type;

template <class T>
struct numeric_limits;
template <>
struct numeric_limits<float> {
  static float infinity() { return __int_as_float(0x7f800000); }
  static constexpr float max() { return 3.40282346638528859812e+38f; }
};

using ::abs;
using ::fma;
using ::memcpy;
using ::nextafter;
using ::round;
inline float sqrt(float x) {
  return ::sqrtf(x);
}
inline double sqrt(double x) {
  return ::sqrt(x);
}
inline float fma(float a, float b, float c) {
  return ::fmaf(a, b, c);
}
inline float abs(float x) {
  return ::fabsf(x);
}
inline double abs(double x) {
  return ::fabs(x);
}
inline float nextafter(float from, float to) {
  return ::nextafterf(from, to);
}

template <class T>
constexpr const T& clamp(const T& value, const T& least, const T& most) {
  return value < least ? least : most < value ? most : value;
}

template <class In, class Out>
constexpr void copy_n(In from, int count, Out to) {
  for (int i = 0; i < count; ++i) to[i] = from[i];
}

}  // namespace std

#ifdef __HIPCC_RTC__
#pragma clang force_cuda_host_device end
#endif

using std::size_t;
