/// Models as an option names them, and values that tell their nodes.
#pragma once

#include <string>

#include "models/velocity_model.hpp"

namespace minimod {

[[nodiscard]] inline VelocityModel load(const std::string& source) {
  ModelSpec spec;
  spec.source = source;
  return load_model(spec);
}

/// A velocity that tells its node.
[[nodiscard]] inline float marked(int x, int y, int z) {
  return static_cast<float>(1000 + 100 * x + 10 * y + z);
}

}  // namespace minimod
