/// Memory that the launches of a step share, and what they report in.
#pragma once

#include <optional>
#include <string>

#include "src/device/backend.hpp"

namespace minimod {

class Workspace {
 public:
  /// Error 71.
  Workspace(Backend& backend, std::size_t bytes)
      : backend_(&backend), memory_(backend, bytes), status_(backend, 1) {}
  [[nodiscard]] static std::vector<std::size_t> allocations(std::size_t bytes) {
    return {bytes, sizeof(unsigned)};
  }
  /// Memory of another size, for `exchange`; nothing where that is the present one's. Error 71.
  [[nodiscard]] std::optional<DeviceArray<char>> memory_of(std::size_t bytes) const {
    if (bytes == memory_.size()) return std::nullopt;
    return DeviceArray<char>(*backend_, bytes);
  }
  /// What launches have reported stays.
  void exchange(std::optional<DeviceArray<char>> memory) {
    if (memory) memory_ = std::move(*memory);
  }

  /// Zeroes what the launches need zeroed.
  void clear() const {
    if (memory_.size() > 0) backend_->clear(memory_.data(), memory_.size());
  }
  /// Tells a launch where they are.
  void put_into(StencilArgs<float>& args) const {
    args.workspace = memory_.data();
    args.status = status_.data();
  }
  /// Error 71 that names the shape when a launch has given up since the last call.
  void check(const std::string& shape) const;

 private:
  Backend* backend_;
  DeviceArray<char> memory_;
  DeviceArray<unsigned> status_;  ///< not zero when a launch gave up
};

}  // namespace minimod
