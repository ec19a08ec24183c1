/// How cases and tests compare fields and traces.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace minimod {

/// Greatest difference over greatest value; NaN in one field only counts as infinite.
inline double relative_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0, greatest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) != std::isnan(b[i])) return std::numeric_limits<double>::infinity();
    if (std::isnan(a[i])) continue;
    difference = std::max(difference, std::abs(double{a[i]} - b[i]));
    greatest = std::max(greatest, std::abs(double{b[i]}));
  }
  return difference > 0 ? difference / greatest : 0;
}

/// √(Σ (a − b)² / Σ b²).
template <class Real>
double relative_l2(const std::vector<Real>& a, const std::vector<Real>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(double{a[i]} - b[i], 2);
    size += std::pow(double{b[i]}, 2);
  }
  return std::sqrt(difference / size);
}

template <class Real>
bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

}  // namespace minimod
