/// The receivers on the device.
#pragma once

#include <vector>

#include "src/base/process/zeroed_array.hpp"
#include "src/base/reals.hpp"
#include "src/device/field_kernels.hpp"

namespace minimod {

using NodePlaces = ZeroedArray<NodeWeights>;

/// Keeps u at nodes or between them, a batch of samples at a time.
class Receivers {
 public:
  /// None.
  Receivers() = default;
  /// At nodes; `batch`: samples of each that are kept before they must be fetched.
  Receivers(Backend& backend, const Grid& grid, const std::vector<Index3>& nodes, int batch);
  /// Between nodes.
  Receivers(Backend& backend, const Grid& grid, const NodePlaces& places, int batch);

  /// The bytes of every allocation that so many receivers take.
  [[nodiscard]] static std::vector<std::size_t> allocations(std::size_t receivers, bool between_nodes,
                                                            int batch, Precision precision);

  /// Drops what was kept or waits.
  void empty() {
    filled_ = 0;
    waits_ = false;
  }
  [[nodiscard]] bool are_at_nodes() const { return places_.size() == 0; }
  /// Keeps u as the next sample.
  void record(Backend& backend, const PlacedField& u);
  /// Defers the samples of receivers at nodes: has the next launches that serve them, which read this u, keep
  /// it instead.
  void record_later() { waits_ = true; }
  [[nodiscard]] bool waits() const { return waits_; }
  /// Gives a launch what waits to be kept, if anything.
  void put_into(ShotArgs<void>& args);
  /// The samples, [sample][receiver], until the next call, and empties the batch. Waits for the device.
  [[nodiscard]] const Reals& fetch(Backend& backend);

 private:
  DeviceArray<std::int64_t> indices_;  ///< receivers at nodes as Grid::index has them, or else
  DeviceArray<NodeWeights> places_;    ///< places of receivers between nodes
  DeviceReals batch_;
  Reals fetched_;  ///< kept: its pages are made once
  int count_ = 0, filled_ = 0;
  bool waits_ = false;
};

}  // namespace minimod
