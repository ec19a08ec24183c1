/// Where launches go that follow each other on a device.
#pragma once

namespace minimod {

/// A stream by its device's own handle, which that device alone reads; the host has none.
class Stream {
 public:
  Stream() = default;
  explicit Stream(void* handle) : handle_(handle) {}
  template <class Handle>
  [[nodiscard]] Handle as() const {
    return static_cast<Handle>(handle_);
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace minimod
