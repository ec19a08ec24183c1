#include "src/solver/receivers.hpp"

namespace minimod {

Receivers::Receivers(Backend& backend, const Layout& layout, const std::vector<Index3>& nodes, int batch)
    : count_(static_cast<int>(nodes.size())) {
  std::vector<std::int64_t> indices;
  indices.reserve(nodes.size());
  for (const Index3& node : nodes) indices.push_back(layout.index(node.x, node.y, node.z));
  indices_ = DeviceArray<std::int64_t>(backend, indices);
  batch_ = DeviceArray<float>(backend, nodes.size() * batch);
}

Receivers::Receivers(Backend& backend, const std::vector<NodeWeights>& places, int batch)
    : places_(backend, places),
      batch_(backend, places.size() * batch),
      count_(static_cast<int>(places.size())) {}

std::vector<std::size_t> Receivers::allocations(std::size_t receivers, bool between_nodes, int batch) {
  return {receivers * (between_nodes ? sizeof(NodeWeights) : sizeof(std::int64_t)),
          receivers * batch * sizeof(float)};
}

void Receivers::record(Backend& backend, const float* u, const Layout& layout) {
  float* const row = batch_.data() + std::size_t(filled_) * count_;
  if (places_.size() > 0) {
    backend.record(row, u, layout, places_.data(), count_);
  } else {
    backend.record(row, u, indices_.data(), count_);
  }
  ++filled_;
}

std::vector<float> Receivers::fetch(Backend& backend) {
  std::vector<float> samples(std::size_t(filled_) * count_);
  backend.download(samples.data(), batch_.data(), samples.size() * sizeof(float));
  filled_ = 0;
  return samples;
}

}  // namespace minimod
