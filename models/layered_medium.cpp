/// Media that know depths alone: of layers and of a gradient.
#include <algorithm>
#include <cmath>
#include <limits>

#include "models/sampled_medium.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"

namespace minimod {

namespace {

/// Layers with an interface strictly between the first node and the last: what lies beyond goes on as the
/// outermost, which begins at or above 0.
std::vector<Layer> layers_within(const std::vector<Layer>& layers, double last) {
  std::vector<Layer> within;
  for (const Layer& layer : layers) {
    if (layer.top <= 0) within.clear();
    if (layer.top < last || within.empty()) within.push_back(layer);
  }
  return within;
}

/// Layers, the first and the last without end, band-limited for nodes `h` metres apart.
double slowness_at(const std::vector<Layer>& layers, double depth, double h) {
  double sum = 0, beyond = 1;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double next = i + 1 < layers.size() ? step_response((depth - layers[i + 1].top) / h) : 0;
    sum += squared_slowness(layers[i].v) * (beyond - next);
    beyond = next;
  }
  return sum;
}

/// A column of layers, the first and the last without end, in the mean of h metres around a depth.
double column_at(const std::vector<Layer>& layers, std::size_t number, double depth, double h) {
  double sum = 0, begin = depth - h / 2;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double bottom = i + 1 < layers.size() ? layers[i + 1].top : std::numeric_limits<double>::infinity();
    const double end = std::clamp(bottom, begin, depth + h / 2);
    sum += layers[i].columns[number] * (end - begin);
    begin = end;
  }
  return sum / h;
}

float velocity_at(const VelocityModel& model, double depth) {
  const auto v = static_cast<float>(model.gradient->at_zero + model.gradient->slope * depth);
  if (v > 0 && std::isnormal(v)) return v;
  throw Error(ErrorKind::data,
              text("'", escaped(model.name, 60), "' has velocity ", v, " m/s at a depth of ", depth, " m"),
              text("take another gradient, or a ", option("grid"), " that ends above"));
}

}  // namespace

void SampledMedium::sample_gradient() {
  for (int z = 0; z < inner_.extent().z; ++z) depths_.push_back(velocity_at(model_, z * spacing_.z));
  const auto [least, greatest] = std::ranges::minmax(depths_);
  set_extremes(least, greatest, least, greatest);
}

void SampledMedium::sample_layers() {
  const int points = inner_.extent().z;
  const std::vector<Layer> layers = layers_within(model_.layers, (points - 1) * spacing_.z);
  const auto [slowest, fastest] = std::ranges::minmax(layers, {}, &Layer::v);
  bounds_ = SlownessBounds::around(slowest.v, fastest.v);
  if (layers.size() > 1) band_spacing_ = spacing_.z;
  const auto sample = [&](int z) { return slowness_at(layers, z * spacing_.z, spacing_.z); };
  for (int z = 0; z < points; ++z) {
    depths_.push_back(velocity_of_slowness(settled(sample(z - 1), sample(z), sample(z + 1), bounds_)));
  }
  columns_.resize(columns_of(model_));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (int z = 0; z < points; ++z) columns_[i].push_back(column_at(layers, i, z * spacing_.z, spacing_.z));
  }
  const auto [lowest, highest] = std::ranges::minmax(depths_);
  set_extremes(slowest.v, fastest.v, lowest, highest);
}

}  // namespace minimod
