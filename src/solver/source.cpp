#include "src/solver/source.hpp"

namespace minimod {

namespace {

std::vector<Index3> nodes_of(const NodeWeights& place) {
  std::vector<Index3> nodes;
  for (int k = 0; k < place.count.z; ++k) {
    for (int j = 0; j < place.count.y; ++j) {
      for (int i = 0; i < place.count.x; ++i) {
        nodes.push_back({place.first.x + i, place.first.y + j, place.first.z + k});
      }
    }
  }
  return nodes;
}

std::vector<double> weights_of(const NodeWeights& place) {
  std::vector<double> weights;
  for (int k = 0; k < place.count.z; ++k) {
    for (int j = 0; j < place.count.y; ++j) {
      for (int i = 0; i < place.count.x; ++i) {
        weights.push_back(double{place.x[i]} * place.y[j] * place.z[k]);
      }
    }
  }
  return weights;
}

}  // namespace

Source::Source(Backend& backend, const Fields& fields, Index3 node, const std::vector<double>& samples)
    : Source(backend, fields, std::vector{node}, {1}, samples) {}

Source::Source(Backend& backend, const Fields& fields, const NodeWeights& place,
               const std::vector<double>& samples)
    : Source(backend, fields, nodes_of(place), weights_of(place), samples) {}

/// The samples carry the scale of the first node, the weights the ratio of the others to it.
Source::Source(Backend& backend, const Fields& fields, const std::vector<Index3>& nodes,
               const std::vector<double>& weights, const std::vector<double>& samples)
    : node_(nodes.front()) {
  std::vector<std::int64_t> indices;
  std::vector<double> scaled_weights;
  float first = 0;
  for (const Index3& node : nodes) {
    indices.push_back(fields.grid().layout.index(node.x, node.y, node.z));
    const float v2dt2 = fields.v2dt2_at(node);
    if (indices.size() == 1) first = v2dt2;
    scaled_weights.push_back(weights[indices.size() - 1] * v2dt2 / first);
  }
  const Point3 h = fields.grid().spacing;
  const double scale = first / (h.x * h.y * h.z);
  std::vector<double> scaled(samples.size());
  for (std::size_t n = 0; n < samples.size(); ++n) scaled[n] = scale * samples[n];
  samples_ = upload_as_float(backend, scaled);
  indices_ = DeviceArray<std::int64_t>(backend, indices);
  weights_ = upload_as_float(backend, scaled_weights);
}

std::vector<std::size_t> Source::allocations(std::size_t nodes, std::size_t samples) {
  return {samples * sizeof(float), nodes * sizeof(std::int64_t), nodes * sizeof(float)};
}

void Source::inject(Backend& backend, float* u_next, int number) const {
  if (sample(number) == nullptr) return;
  backend.inject(u_next, {indices_.data(), weights_.data(), static_cast<int>(indices_.size())},
                 sample(number));
}

}  // namespace minimod
