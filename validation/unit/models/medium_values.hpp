/// Models of any velocity, and what a medium makes of them.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "models/sampled_medium.hpp"

namespace minimod {

/// All planes of a grid after each other.
inline std::vector<float> values_of(const SampledMedium& medium, Extent3 n) {
  const std::size_t plane = std::size_t(n.x) * n.y;
  std::vector<float> values(plane * n.z);
  for (int z = 0; z < n.z; ++z) medium.sample_plane(z, std::span(values).subspan(z * plane, plane));
  return values;
}

inline VelocityModel model_of(Extent3 n, Point3 spacing,
                              const std::function<double(int, int, int)>& velocity) {
  VelocityModel model;
  model.n = n;
  model.spacing = spacing;
  model.from_file = true;
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) model.v.push_back(static_cast<float>(velocity(x, y, z)));
    }
  }
  model.held = {0, n.z};
  const auto [least, greatest] = std::minmax_element(model.v.begin(), model.v.end());
  model.v_min = *least;
  model.v_max = *greatest;
  return model;
}

/// On a grid whose box between `begin` and as far from the other end is the model's.
inline SampledMedium medium_of(const VelocityModel& model, Extent3 n, Point3 spacing, Index3 begin) {
  return {model, n, {begin, {n.x - begin.x, n.y - begin.y, n.z - begin.z}}, spacing};
}

inline double compressibility(float v) {
  return 1 / (double(v) * v);
}

}  // namespace minimod
