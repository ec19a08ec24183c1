/// Blocks of a launch that take their part by the side of the L2 that their multiprocessor is on.
#pragma once

#include "kernels/device/hopper_block.cuh"
#include "kernels/whole/tma_whole_chunks.hpp"

namespace minimod {

/// A block whose number is not the hardware's.
struct SidedBlock : HopperBlock {
  [[nodiscard]] static __device__ int index() { return number(); }

  /// By one thread: the next number of its multiprocessor's side among those of a launch with a block on each
  /// multiprocessor, then, when all have begun, one that the other side lacks blocks for; below zero: there
  /// is none.
  template <int R>
  static __device__ void take_number(const ChunkArgs<SidedBlock, R>& args) {
    const SidesOfLaunch& sides = args.sides;
    const unsigned side = sides.of_multiprocessor[multiprocessor()] & 1;
    const int columns = args.walk.rounds[0].columns, left = columns < args.at.left ? columns : args.at.left;
    const unsigned width[2] = {static_cast<unsigned>(left), static_cast<unsigned>(columns - left)};
    const unsigned rows = args.walk.blocks() / columns;
    const auto number_of = [&](unsigned of, unsigned place) {
      return static_cast<int>(place / width[of] * columns + of * left + place % width[of]);
    };
    const unsigned place = atomicAdd(sides.begun + side, 1U);
    if (place < width[side] * rows) {
      number() = number_of(side, place);
      return;
    }
    while (look_at(sides.begun) + look_at(sides.begun + 1) < gridDim.x) {
    }
    const unsigned other = look_at(sides.begun + (side ^ 1)) + (place - width[side] * rows);
    number() = other < width[side ^ 1] * rows ? number_of(side ^ 1, other) : -1;
  }

 private:
  static __device__ unsigned multiprocessor() {
    unsigned number;
    asm("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
  }
  static __device__ int& number() {
    __shared__ int number;
    return number;
  }
};

}  // namespace minimod
