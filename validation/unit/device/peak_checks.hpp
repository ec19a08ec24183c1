/// Peaks of a field at chosen points, which every device must find.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "kernels/random_field.hpp"
#include "src/device/field_kernels.hpp"

namespace minimod::peaks {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// More points than a warp takes at once along x, and more rows than a GPU has warps at work; no extent is
/// round.
inline const Grid grid = make_grid({301, 97, 75}, {20, 20, 20}, 27);
inline const Box3 odd_box{{3, 5, 2}, {300, 92, 72}};

/// Random values in [-1, 1) at the points, NaN in the halo and in the padding.
inline std::vector<float> random_field() {
  std::vector<float> field(grid.layout.size, not_a_number);
  for (int z = 0; z < grid.n.z; ++z) {
    for (int y = 0; y < grid.n.y; ++y) {
      for (int x = 0; x < grid.n.x; ++x) field[grid.layout.index(x, y, z)] = random_value(3, x, y, z);
    }
  }
  return field;
}

struct ValueAt {
  Index3 node;
  float value;
};

/// With these values at some points.
inline Peak peak_of(Backend& backend, const std::vector<ValueAt>& points,
                    Precision precision = Precision::float32) {
  std::vector<float> values = random_field();
  for (const ValueAt& p : points) values[grid.layout.index(p.node.x, p.node.y, p.node.z)] = p.value;
  const DeviceReals field(backend, {values.begin(), values.end()}, precision);
  backend.field_kernels().start_peak({field.at(), grid.layout}, odd_box);
  return backend.field_kernels().take_peak(true).value();
}

inline void check_peaks(Backend& backend) {
  const Index3 first = odd_box.begin, last{299, 91, 71}, inside{270, 60, 31};
  for (const Index3 node : {first, last, inside}) {
    for (const float value : {2.F, -2.F, infinity, -infinity, not_a_number, -not_a_number}) {
      CAPTURE(node.x, node.y, node.z, value);
      // Infinity and NaN outside the box are not seen.
      std::vector<ValueAt> points{{{2, 5, 2}, not_a_number}, {{300, 91, 71}, -infinity}, {node, value}};
      if (std::isnan(value)) points.push_back({{150, 50, 37}, infinity});
      if (std::isinf(value)) points.push_back({{150, 50, 37}, 3e38F});
      for (const Precision precision : {Precision::float32, Precision::float64}) {
        const Peak peak = peak_of(backend, points, precision);
        CHECK(peak.node == node);
        CHECK(peak.bits == magnitude_bits(value));
      }
    }
  }
}

}  // namespace minimod::peaks
