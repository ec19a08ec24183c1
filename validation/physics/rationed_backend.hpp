/// A host whose memory ends where a test says, so that what it refuses can be looked at without a GPU.
#pragma once

#include "src/base/error.hpp"
#include "validation/physics/hosted_backend.hpp"

namespace minimod {

class RationedBackend final : public HostedBackend {
 public:
  /// Bytes that it has beside those that are allocated, and those that it says it has.
  void leave(std::size_t bytes) { leave(bytes, bytes); }
  void leave(std::size_t bytes, std::size_t said) {
    most_ = allocated_bytes() + bytes;
    said_ = allocated_bytes() + said;
  }
  [[nodiscard]] std::size_t free_bytes() const override { return said_ - allocated_bytes(); }
  /// How often launches were captured, which a graph with other addresses asks for.
  [[nodiscard]] int captures() const { return captures_; }
  void replay(std::unique_ptr<LaunchGraph>& graph, const std::function<void()>& work) override {
    if (graph == nullptr) {
      graph = std::make_unique<LaunchGraph>();
      ++captures_;
    }
    work();
  }

 private:
  [[nodiscard]] void* take(std::size_t bytes) override {
    if (allocated_bytes() + granted_bytes(bytes) > most_)
      throw Error(ErrorKind::resource, "the ration is used up", "take less");
    return HostedBackend::take(bytes);
  }

  std::size_t most_ = std::size_t{1} << 40U, said_ = most_;
  int captures_ = 0;
};

}  // namespace minimod
