/// The first of two ranks, for tests without MPI: what either of them tells, both say.
#pragma once

#include <algorithm>

#include "src/ranks/ranks.hpp"

namespace minimod {

/// The first of two ranks, alone: all it sends is lost, and nothing comes.
class FirstOfTwo : public Ranks {
 public:
  FirstOfTwo() { size_ = 2; }
  [[nodiscard]] bool takes_gpu_memory() const override { return false; }
  void send(int /*to*/, std::span<const std::byte> /*bytes*/) override {}
  void receive(int /*from*/, std::span<std::byte> /*bytes*/) override {}
  void start_exchange(std::span<const Message> /*messages*/) override {}
  void finish_exchange() override {}
  void finish() override {}
  [[nodiscard]] int leave(int code, const std::string& /*line*/) override { return code; }

 protected:
  void gather_bytes(const void* mine, void* all, std::size_t bytes) override {
    for (std::size_t rank = 0; rank < 2; ++rank) {
      std::copy_n(static_cast<const char*>(mine), bytes, static_cast<char*>(all) + rank * bytes);
    }
  }

 private:
  void broadcast_bytes(int /*from*/, void* /*value*/, std::size_t /*bytes*/) override {}
};

}  // namespace minimod
