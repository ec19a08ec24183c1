/// Nodes of a model in the memory of a device.
#pragma once

#include <memory>
#include <mutex>

#include "models/arrays/distant_nodes.hpp"
#include "src/device/backend.hpp"

namespace minimod {

class DeviceNodes final : public DistantNodes {
 public:
  /// When all is done that the device was given before. `device` reads the nodes; the caller keeps them.
  DeviceNodes(std::unique_ptr<Backend> device, const ModelNodes& all);

  [[nodiscard]] std::string memory() const override { return device_->info().memory(); }
  void read(const ModelNodes& some, std::span<float> velocities) const override;
  [[nodiscard]] std::vector<RowFacts> facts_of_rows(const ModelNodes& some, int begin,
                                                    int end) const override;
  [[nodiscard]] std::size_t bytes_copied() const override { return bytes_copied_; }

 private:
  void copy(void* to, const void* from, std::size_t bytes) const;

  std::unique_ptr<Backend> device_;
  mutable std::mutex reading_;
  mutable DeviceArray<float> packed_;  ///< nodes on their way
  mutable std::size_t bytes_copied_ = 0;
};

}  // namespace minimod
