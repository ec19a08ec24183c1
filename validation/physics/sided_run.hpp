/// Runs of `tma_whole` and `tma_whole_step`, emulated on the host, whose fields lie in chunks or in rows.
#pragma once

#include <cstdint>

#include "kernels/registry.hpp"
#include "src/solver/kernel_set.hpp"
#include "validation/physics/hosted_backend.hpp"
#include "validation/shapes/emulated_whole.hpp"

namespace minimod {

/// A backend that says it has an L2 of two sides, with bits of chunks and pages and sides of multiprocessors
/// as random as `seed`: launches are right with any.
class SidedBackend final : public HostedBackend {
 public:
  explicit SidedBackend(unsigned seed, std::unique_ptr<Backend> host = make_host_backend())
      : HostedBackend(std::move(host)), random_(seed) {
    std::vector<unsigned char> sides(info().units);
    for (unsigned char& side : sides) side = random_() & 1;
    sides_ = {*this, sides};
  }
  [[nodiscard]] L2Sides l2_sides(Extent3 /*n*/) const override { return {hash_, page_bits_, sides_.data()}; }
  [[nodiscard]] FieldPages pages_of(void* memory, std::size_t /*bytes*/) const override {
    const auto any = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(memory) >> 12) * 2654435761U;
    return {any % FieldPages::pages_of_block, any ^ any >> 7};
  }

 private:
  std::mt19937 random_;
  unsigned hash_ = random_() & 0xff, page_bits_ = random_() & 0x1ff;
  DeviceArray<unsigned char> sides_;
};

/// In as many blocks as a small GPU has, all of them emulated, as is that of one step below.
inline CodeShape emulated_whole_shape() {
  CodeShape shape = find_shape("tma_whole");
  shape.host.takes_chunks = true;
  shape.host.whole = [](const LaunchArgs&) {
    return host_launch([](const LaunchArgs& args) {
      constexpr int blocks = 6;
      if (args.chunks.columns > 0) {
        run_emulated<TmaWholeChunksOf<stencil_radius>>(DomainArgs(args), blocks, 5, args);
      } else {
        run_emulated(DomainArgs(args), blocks, 3);
      }
    });
  };
  return shape;
}

inline CodeShape emulated_whole_step_shape() {
  /// Serves the shot, as the one on a GPU does.
  class Launch final : public PlannedLaunch {
   public:
    [[nodiscard]] bool serves_shot() const override { return true; }
    void run(const LaunchArgs& args, Stream /*stream*/) override {
      constexpr int blocks = 6;
      if (args.chunks.columns > 0) {
        run_emulated<TmaWholeStepChunksOf<stencil_radius>>(DomainArgs(args), blocks, 5, args);
      } else {
        run_emulated<TmaWholeStepSquare<stencil_radius>>(DomainArgs(args), blocks, 3);
      }
    }
  };
  CodeShape shape = find_shape("tma_whole_step_64x64");
  shape.host.takes_chunks = true;
  shape.host.whole_step = [](const LaunchArgs&) { return std::make_unique<Launch>(); };
  return shape;
}

}  // namespace minimod
