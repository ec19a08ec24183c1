/// Models as an option names them, and values that tell their nodes.
#pragma once

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "models/sampled_medium.hpp"
#include "models/velocity_model.hpp"
#include "validation/unit/base/expect_error.hpp"

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

inline std::vector<float> marked_values(Extent3 n) {
  std::vector<float> v;
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) v.push_back(marked(x, y, z));
    }
  }
  return v;
}

/// Outcome of a run that takes the model as it is.
inline Outcome outcome_of_loading(const ModelSpec& spec) {
  Outcome outcome = outcome_of([&] {
    const VelocityModel model = load_model(spec);
    const Extent3 n = model.n;
    const Point3 h = model.from_file ? model.spacing : Point3{10, 10, 10};
    require_plausible(spec, SampledMedium(model, n, {{0, 0, 0}, {n.x, n.y, n.z}}, h));
  });
  INFO(outcome.message);
  CHECK(outcome.message.size() <= longest_message);
  return outcome;
}

inline Outcome outcome_of_loading(const std::string& source) {
  ModelSpec spec;
  spec.source = source;
  return outcome_of_loading(spec);
}

}  // namespace minimod
