/// Planes around a tile of the arrays that are read beside the point along x or y, in a ring of four in
/// shared memory: three are on their way by asynchronous copies of V values, so that a plane has one barrier.
#pragma once

#include "kernels/equation.hpp"

namespace minimod {

template <class Equation, int TX, int TY, int RX, int RY, int V>
struct PlanesAhead {
  using Next = std::int64_t;  ///< the index of the tile's first point in the plane that is copied next
  static constexpr int ahead = 3, planes = ahead + 1;
  static constexpr int lanes = RX % V == 0 ? V : 1, apart_y = 1;
  static constexpr bool is_one_by_one = false;

  static constexpr VectorWidths vectors = values_or_vectors;
  static constexpr Refusal refusal(const ShapeParameters& of) { return why_no_whole_vectors(of); }
  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach reach) {
    const int v = of.vector_width;
    const int pitch = round_up(reach.lower.x, v) + of.tile.x + round_up(reach.upper.x, v);
    return Extent3{pitch, of.tile.y - 1 + depth_y(reach), planes}.points();
  }

  template <int Array>
  struct Part {
    using Value = ValueOf<Equation, Array>;
    static constexpr Reach reach = Equation::reach(Array);
    static constexpr int left = round_up(reach.lower.x, V), rows = TY * RY - 1 + depth_y(reach);
    static constexpr int pitch = left + TX * RX + round_up(reach.upper.x, V);
    alignas(16) Value values[planes][rows][pitch];
  };
  struct Shared : PartsOf<Part, typename Equation::BesideInPlane> {};

  /// A thread's share of the copies of a plane.
  template <int Array>
  struct Copies {
    using Its = Part<Array>;
    static constexpr int most = 16 / sizeof(typename Its::Value), together = V > most ? most : V;
    static constexpr int count = Its::rows * Its::pitch / together, rounds = ceil_div(count, TX*TY);
    int from[rounds];  ///< values behind the first one of the window, or -1
  };

  Shared& shared;
  int thread;
  PartsOf<Copies, typename Equation::BesideInPlane> all;

  template <class Block>
  MINIMOD_HD PlanesAhead(const Memory<Equation, Block>& memory, Shared& ring, Index3 first, std::int64_t,
                         int number)
      : shared(ring), thread(number) {
    for_each(typename Equation::BesideInPlane{}, [&]<int Array>() {
      using Its = Part<Array>;
      auto& copies = static_cast<Copies<Array>&>(all);
      const Box3& box = memory.args.box;
      const int width = box.end.x + Its::reach.upper.x - first.x + Its::left;
      const int height = box.end.y + Its::reach.upper.y - first.y + Its::reach.lower.y;
#pragma unroll
      for (int round = 0; round < copies.rounds; ++round) {
        const int value = (round * TX * TY + thread) * copies.together;
        const int y = value / Its::pitch, x = value % Its::pitch;
        const bool is_needed = y < Its::rows && y < height && x < width;
        copies.from[round] = is_needed ? y * static_cast<int>(memory.args.layout.stride_y) + x : -1;
      }
    });
  }

  template <class Block>
  [[nodiscard]] MINIMOD_HD Next begin(const Memory<Equation, Block>& memory, std::int64_t index, int z,
                                      int end) const {
    for (int k = 0; !std::is_empty_v<Shared> && k < ahead; ++k) bring(memory, index, k, z + k < end);
    return index;
  }
  template <class Block>
  MINIMOD_HD void take(const Memory<Equation, Block>& memory, Next& next, unsigned slot, bool is_more) const {
    if constexpr (!std::is_empty_v<Shared>) {
      const Block& block = memory.block;
      block.template wait<ahead - 1>();
      block.sync();
      bring(memory, next, slot + ahead, is_more);
    }
  }
  /// The value x, y from lane number Lane of the points from i, j of the tile on.
  template <int Array, int Lane>
  [[nodiscard]] MINIMOD_HD auto value(unsigned slot, int i, int j, int x, int y) const {
    using Its = Part<Array>;
    const int first = first_of_vector<lanes>(Lane + x);
    const auto& row = static_cast<const Its&>(shared).values[slot][j + y + Its::reach.lower.y];
    using Values = Vector<typename Its::Value, lanes>;
    return reinterpret_cast<const Values*>(&row[Its::left + i + first])->value[Lane + x - first];
  }

 private:
  template <class Block>
  MINIMOD_HD void bring(const Memory<Equation, Block>& memory, Next& next, unsigned number,
                        bool is_read) const {
    if (is_read) copy(memory, next, number % planes);
    next += memory.args.layout.stride_z;
    memory.block.commit();
  }
  template <class Block>
  MINIMOD_HD void copy(const Memory<Equation, Block>& memory, Next index, unsigned slot) const {
    for_each(typename Equation::BesideInPlane{}, [&]<int Array>() {
      using Its = Part<Array>;
      const auto& copies = static_cast<const Copies<Array>&>(all);
      using Copied = Vector<typename Its::Value, Copies<Array>::together>;
      const auto* const from = memory.template array<Array>() + index - Its::left -
                               Its::reach.lower.y * memory.args.layout.stride_y;
      auto* const to = reinterpret_cast<Copied*>(static_cast<Its&>(shared).values[slot]) + thread;
#pragma unroll
      for (int round = 0; round < copies.rounds; ++round) {
        if (copies.from[round] < 0) continue;
        memory.block.copy_async(to + round * TX * TY,
                                reinterpret_cast<const Copied*>(from + copies.from[round]));
      }
    });
  }
};

}  // namespace minimod
