/// The precision of the numbers that a run computes with.
#pragma once

#include <cstddef>

namespace minimod {

enum class Precision { float32, float64 };

[[nodiscard]] constexpr std::size_t bytes_of(Precision precision) {
  return precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

/// Calls work.operator()<Real>() of the type with that precision.
template <class Work>
decltype(auto) with_real(Precision precision, const Work& work) {
  if (precision == Precision::float32) return work.template operator()<float>();
  return work.template operator()<double>();
}

/// Where reals of a precision stand in memory, one behind the other.
struct RealsAt {
  void* data = nullptr;
  Precision precision = Precision::float32;

  /// `count` reals on.
  [[nodiscard]] RealsAt operator+(std::ptrdiff_t count) const {
    return {static_cast<char*>(data) + count * static_cast<std::ptrdiff_t>(bytes_of(precision)), precision};
  }
  /// `Real` has that precision.
  template <class Real>
  [[nodiscard]] Real* of() const {
    return static_cast<Real*>(data);
  }
};

}  // namespace minimod
