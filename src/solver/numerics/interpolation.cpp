#include "src/solver/numerics/interpolation.hpp"

#include <cmath>
#include <numbers>

namespace minimod {

namespace {

/// Optimal for wavelengths of four spacings and more (Hicks 2002, table 1).
double window_shape(int r) {
  return r == 4 ? 6.31 : 12.53;
}

/// Puts the weights of nodes first, first + 1, … of n along an axis there; they are `count`.
void put_weights(double position, int n, int r, bool odd_at_zero, int& first, int& count, double* weights) {
  const int nearest = static_cast<int>(std::lround(position));
  const bool at_node = std::abs(position - nearest) < 1e-9;
  const int begin = at_node ? nearest : static_cast<int>(std::floor(position)) - r + 1;
  const int end = at_node ? nearest + 1 : begin + 2 * r;
  first = std::max(begin, 0);
  count = std::min(end, n) - first;
  for (int i = 0; i < count; ++i) {
    double weight = windowed_sinc(first + i - position, r);
    const int image = -(first + i);
    if (odd_at_zero && image >= begin) weight -= windowed_sinc(image - position, r);
    weights[i] = weight;
  }
}

}  // namespace

double windowed_sinc(double x, int r) {
  if (std::abs(x) > r) return 0;
  static const double greatest_of_4 = std::cyl_bessel_i(0, window_shape(4)),
                      greatest_of_8 = std::cyl_bessel_i(0, window_shape(8));
  const double b = window_shape(r), part = x / r, phase = std::numbers::pi * x;
  const double window =
      std::cyl_bessel_i(0, b * std::sqrt(1 - part * part)) / (r == 4 ? greatest_of_4 : greatest_of_8);
  return x == 0 ? 1 : window * std::sin(phase) / phase;
}

const NodeWeights& SincWeights::at(Point3 p) {
  Index3& first = weights_.first;
  Extent3& count = weights_.count;
  if (p.x != position_.x) put_weights(p.x, n_.x, half_width_, false, first.x, count.x, weights_.x);
  if (p.y != position_.y) put_weights(p.y, n_.y, half_width_, false, first.y, count.y, weights_.y);
  if (p.z != position_.z) put_weights(p.z, n_.z, half_width_, free_surface_, first.z, count.z, weights_.z);
  position_ = p;
  return weights_;
}

NodeWeights sinc_weights(Point3 p, Extent3 n, Interpolation interpolation, bool free_surface) {
  return SincWeights(n, interpolation, free_surface).at(p);
}

}  // namespace minimod
