#include "src/solver/numerics/interpolation.hpp"

#include <cmath>
#include <numbers>

namespace minimod {

namespace {

/// Optimal for wavelengths of four spacings and more (Hicks 2002, table 1).
double window_shape(int r) {
  return r == 4 ? 6.31 : 12.53;
}

/// The weights along one axis of n nodes: those of the nodes first, first + 1, …
struct AxisWeights {
  int first = 0, count = 0;
  double* weights;

  AxisWeights(double position, int n, int r, bool odd_at_zero, double* to) : weights(to) {
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
};

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

NodeWeights sinc_weights(Point3 p, Extent3 n, Interpolation interpolation, bool free_surface) {
  const int r = half_width(interpolation);
  NodeWeights result{};
  const AxisWeights x(p.x, n.x, r, false, result.x), y(p.y, n.y, r, false, result.y),
      z(p.z, n.z, r, free_surface, result.z);
  result.first = {x.first, y.first, z.first};
  result.count = {x.count, y.count, z.count};
  return result;
}

}  // namespace minimod
