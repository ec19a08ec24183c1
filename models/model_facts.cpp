/// Facts of a model that is loaded.
#include <algorithm>
#include <cmath>
#include <limits>

#include "models/band_limit.hpp"
#include "models/velocity_model.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

std::size_t columns_of(const VelocityModel& model) {
  if (model.layers.empty()) return 0;
  const std::size_t count = model.layers.front().columns.size();
  for (const Layer& layer : model.layers) {
    if (layer.columns.size() == count) continue;
    throw Error(ErrorKind::parameter,
                text(option("model"), " has ", count, " values beyond V in its first layer and ",
                     layer.columns.size(), " in the one at ", layer.top, " m"),
                "give each layer the same");
  }
  return count;
}

float greatest_velocity(const VelocityModel& model, double top, double bottom) {
  if (model.gradient) {
    const auto at = [&](double depth) { return model.gradient->at_zero + model.gradient->slope * depth; };
    return static_cast<float>(std::max(at(top), at(bottom)));
  }
  float greatest = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const bool begins_above = i == 0 || model.layers[i].top <= bottom;
    const bool ends_below = i + 1 == model.layers.size() || model.layers[i + 1].top > top;
    if (begins_above && ends_below) greatest = std::max(greatest, model.layers[i].v);
  }
  if (model.from_file) {
    const int last = static_cast<int>(model.greatest.size()) - 1;
    const auto node = [&](double depth) {
      return static_cast<int>(std::clamp<double>(depth / model.cut.spacing.z, 0, last));
    };
    for (int i = node(top); i <= std::min(node(bottom) + 1, last); ++i) {
      greatest = std::max(greatest, model.greatest[i]);
    }
  }
  return greatest;
}

Extent3 inner_extent(const VelocityModel& model, Point3 spacing, int extrude) {
  const auto points = [](int nodes, double model_spacing, double run_spacing) {
    const double intervals = (nodes - 1) * (model_spacing / run_spacing);
    const double count = std::floor(intervals + tolerance_at(intervals)) + 1;
    if (count <= std::numeric_limits<int>::max()) return static_cast<int>(count);
    throw Error(ErrorKind::resource,
                text("the model has ", count, " points, ", run_spacing, " m apart, along an axis"),
                "take a larger " + option("spacing"));
  };
  return {points(model.n.x, model.spacing.x, spacing.x),
          model.n.y == 1 ? extrude : points(model.n.y, model.spacing.y, spacing.y),
          points(model.n.z, model.spacing.z, spacing.z)};
}

}  // namespace minimod
