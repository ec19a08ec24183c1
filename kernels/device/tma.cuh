/// Hopper's copy engine and its barriers: tiles of a field come into shared memory on their own, and the
/// threads that need them wait on a barrier there. (PTX ISA: mbarrier, cp.async.bulk.tensor.)
///
/// A barrier counts arrivals and bytes. It completes a phase when both are there, and begins the next; a wait
/// names the parity of the phase it waits for. In a ring of stages each stage has two: `full`, on which the
/// consumers wait for the bytes, and `empty`, on which the producer waits for the consumers' arrivals.
#pragma once

#include <cstdint>

#include "kernels/device/tile_plane.hpp"
#include "kernels/whole/ring_cursor.hpp"

namespace minimod {

class SharedBarrier {
 public:
  __device__ void init(int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals));
  }
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
  }
  /// The one arrival of a producer, which announces the bytes on their way.
  __device__ void arrive_expecting(int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes)
                 : "memory");
  }
  /// Returns when the phase of that parity is complete.
  __device__ void wait(int parity) {
    asm volatile(
        "{\n .reg .pred complete;\n"
        "look%=:\n"
        " mbarrier.try_wait.parity.shared::cta.b64 complete, [%0], %1;\n"
        " @!complete bra look%=;\n}" ::"r"(address()),
        "r"(parity)
        : "memory");
  }
  /// Makes initialized barriers known to the copy engine. Before the block's first __syncthreads.
  static __device__ void publish() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  [[nodiscard]] __device__ unsigned address() const {
    return static_cast<unsigned>(__cvta_generic_to_shared(&word_));
  }

 private:
  std::uint64_t word_;
};

/// The driver's CUtensorMap, of which a compiler of GPU code alone has no header.
struct alignas(64) TensorMap {
  std::uint64_t words[16];
};

/// A tile's plane of a field as the copy engine knows it; counted from the field's first value that the map
/// was made with. Values beyond the map's extents come as zero and are not fetched.
class TileMap {
 public:
  /// `first`: 16 B aligned. `reach`: values, rows and planes from there on that exist or are needed.
  TileMap(const float* first, Extent3 reach, const Layout& at, int width, int height, Fetch fetch);
  TileMap(const double* first, Extent3 reach, const Layout& at, int width, int height, Fetch fetch);
  TileMap(const std::uint16_t* first, Extent3 reach, const Layout& at, int width, int height, Fetch fetch);

  /// Starts the copy of the tile at `from` into `to` (128 B aligned), which arrives at `full`.
  __device__ void load(void* to, Index3 from, SharedBarrier& full) const {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, "
        "%5}], [%2];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
        "l"(&map_), "r"(full.address()), "r"(from.x), "r"(from.y), "r"(from.z)
        : "memory");
  }
  /// Has the tile brought into the L2.
  __device__ void prefetch(Index3 from) const {
    asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];" ::"l"(&map_),
                 "r"(from.x), "r"(from.y), "r"(from.z)
                 : "memory");
  }

 private:
  TensorMap map_;
};

}  // namespace minimod
