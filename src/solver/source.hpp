/// The source on the device.
#pragma once

#include <vector>

#include "src/device/backend.hpp"
#include "src/solver/fields.hpp"

namespace minimod {

/// Adds (V Δt)² s(tₙ) / (hx hy hz) to u⁺ (equation 2), at a node or, in shares, at those around a point.
class Source {
 public:
  /// None.
  Source() = default;
  /// At a node. `samples`: s(tₙ), n = 0, 1, …
  Source(Backend& backend, const Fields& fields, Index3 node, const std::vector<double>& samples);
  /// Between nodes.
  Source(Backend& backend, const Fields& fields, const NodeWeights& place,
         const std::vector<double>& samples);

  /// The bytes of every allocation that a source of so many nodes and samples takes.
  [[nodiscard]] static std::vector<std::size_t> allocations(std::size_t nodes, std::size_t samples);

  /// Into u of step number + 1; nothing when the samples are over.
  void inject(Backend& backend, float* u_next, int number) const;
  /// Of a source at a node.
  [[nodiscard]] Index3 node() const { return node_; }
  /// What step `number` adds there, on the device; null when the samples are over.
  [[nodiscard]] const float* sample(int number) const {
    return number < static_cast<int>(samples_.size()) ? samples_.data() + number : nullptr;
  }

 private:
  Source(Backend& backend, const Fields& fields, const std::vector<Index3>& nodes,
         const std::vector<double>& weights, const std::vector<double>& samples);

  DeviceArray<float> samples_;
  DeviceArray<std::int64_t> indices_;
  DeviceArray<float> weights_;
  Index3 node_;  ///< the first of them
};

}  // namespace minimod
