/// Blocks of a launch that take their part by the side of the L2 that their multiprocessor is on.
#pragma once

#include "kernels/device/gpu_api.cuh"
#include "kernels/device/hopper_block.cuh"
#include "kernels/whole/chunk_pipeline.hpp"

namespace minimod {

/// A block whose number is not the hardware's.
struct SidedBlock : HopperBlock {
  static __device__ int& number() {
    __shared__ int number;
    return number;
  }
  [[nodiscard]] static __device__ int index() { return number(); }
};

/// The number of a block among those of a launch with a block on each multiprocessor: the next one of its
/// side, then, when all have begun, one that the other side lacks blocks for; below zero: there is none.
static __device__ int take_number(const RoundWalk& walk, const ChunkLayout& at, const SidesOfLaunch& sides) {
  const unsigned side = sides.of_multiprocessor[gpu_api::multiprocessor()] & 1;
  const int columns = walk.rounds[0].columns, left = columns < at.left ? columns : at.left;
  const unsigned width[2] = {static_cast<unsigned>(left), static_cast<unsigned>(columns - left)};
  const unsigned rows = walk.blocks() / columns;
  const auto number_of = [&](unsigned of, unsigned place) {
    return static_cast<int>(place / width[of] * columns + of * left + place % width[of]);
  };
  const unsigned place = atomicAdd(sides.begun + side, 1U);
  if (place < width[side] * rows) return number_of(side, place);
  while (HopperBlock::look_at(sides.begun) + HopperBlock::look_at(sides.begun + 1) < gridDim.x) {
  }
  const unsigned other = HopperBlock::look_at(sides.begun + (side ^ 1)) + (place - width[side] * rows);
  return other < width[side ^ 1] * rows ? number_of(side ^ 1, other) : -1;
}

}  // namespace minimod
