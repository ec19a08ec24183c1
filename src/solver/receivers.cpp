#include "src/solver/receivers.hpp"

namespace minimod {

Receivers::Receivers(Backend& backend, const Grid& grid, const std::vector<Index3>& nodes, int batch)
    : count_(static_cast<int>(nodes.size())) {
  std::vector<std::int64_t> indices;
  indices.reserve(nodes.size());
  for (const Index3& node : nodes) indices.push_back(grid.index(node));
  indices_ = DeviceArray<std::int64_t>(backend, indices);
  batch_ = DeviceReals(backend, nodes.size() * batch, grid.precision);
}

Receivers::Receivers(Backend& backend, const Grid& grid, const NodePlaces& places, int batch)
    : places_(backend, std::span(places)),
      batch_(backend, places.size() * batch, grid.precision),
      count_(static_cast<int>(places.size())) {}

std::vector<std::size_t> Receivers::allocations(std::size_t receivers, bool between_nodes, int batch,
                                                Precision precision) {
  return {receivers * (between_nodes ? sizeof(NodeWeights) : sizeof(std::int64_t)),
          receivers * batch * bytes_of(precision)};
}

void Receivers::record(Backend& backend, const PlacedField& u) {
  const RealsAt row = batch_.at() + std::ptrdiff_t{filled_} * count_;
  if (places_.size() > 0) {
    backend.field_kernels().record(row, u, places_.data(), count_);
  } else {
    backend.field_kernels().record(row, u, indices_.data(), count_);
  }
  ++filled_;
  waits_ = false;
}

void Receivers::put_into(ShotArgs<void>& args) {
  if (!waits_) return;
  args.receivers = indices_.data();
  args.recorded = (batch_.at() + std::ptrdiff_t{filled_} * count_).data;
  args.receiver_count = count_;
  ++filled_;
  waits_ = false;
}

const Reals& Receivers::fetch(Backend& backend) {
  if (fetched_.empty()) fetched_ = Reals(batch_.precision(), batch_.size());
  fetched_.resize(std::size_t(filled_) * count_);
  backend.download(fetched_.at().data, batch_.data(), fetched_.bytes());
  filled_ = 0;
  return fetched_;
}

}  // namespace minimod
