/// The interface between equations and families of kernels, which know nothing of each other.
///
/// An equation is a type; whatever a launch may differ in comes with its arguments:
///   Real                      the type that is computed in
///   Args                      the arguments of a launch: a `box` of points, and what the next two look up
///   data<Array>(args)         the storage of an array, of values of Value<Array>
///   layout<Array>(args)       where its points stand there: index(x, y, z), stride_y, stride_z
///   Elsewhere                 ArrayList of those that have another layout than all others, one among them
///   Value<Array>              what it has in memory
///   reach(array)              how far beside the point it is read
///   is_star(array)            whether it is read on the axes alone
///   Beside, BesideInPlane     ArrayLists of those that are read beside the point, and beside it along x or y
///   AtPoint                   ArrayList of the other inputs in the layout of most; some families ask for it
///   Outputs                   ArrayList of those that are written
///   is_read_only              whether inputs come through the GPU's read-only path; no launch writes those
///   compute(point)            the update of a point
///   updates(args, p)          whether a launch computes point p of its box; without it, all of them.
/// A family hands out points, each of which knows where its values are: in memory, in shared memory, in
/// registers. `point` gives
///   args(), at()              the arguments of the launch, and which point of the box it is
///   place()                   its place in the arrays, with load<Array>() and store<Array>(value)
///   load<Array>(x, y, z)      the value that many points away, which the compiler must know by
///                             number to keep it in a register
///   store<Array>(value)       for the point itself.
#pragma once

#include <type_traits>

#include "kernels/shape.hpp"

namespace minimod {

template <class Equation>
inline constexpr bool updates_all = !requires(const typename Equation::Args& args, const Index3& p) {
  Equation::updates(args, p);
};

/// Whether a launch computes a point. Families of the equations that are in place and colour by colour ask
/// this where others ask the box alone.
template <class Equation>
MINIMOD_HD inline bool is_computed(const typename Equation::Args& args, const Index3& p) {
  if constexpr (updates_all<Equation>) {
    return args.box.contains(p);
  } else {
    return args.box.contains(p) && Equation::updates(args, p);
  }
}

template <int... Array>
struct ArrayList {
  static constexpr int count = sizeof...(Array);
  static MINIMOD_HD constexpr bool has(int array) { return ((array == Array) || ...); }
  /// Number of an array that the list has.
  static MINIMOD_HD constexpr int index(int array) {
    int before = 0;
    bool is_found = false;
    ((is_found = is_found || array == Array, before += is_found ? 0 : 1), ...);
    return before;
  }
};

/// Calls visit.operator()<Array>() for each.
template <int... Array, class Visit>
MINIMOD_HD inline void for_each(ArrayList<Array...>, const Visit& visit) {
  (visit.template operator()<Array>(), ...);
}

/// Inherits Part<Array> of each.
template <template <int> class Part, class List>
struct PartsOf;
template <template <int> class Part, int... Array>
struct PartsOf<Part, ArrayList<Array...>> : Part<Array>... {};

template <class Equation, int Array>
using ValueOf = typename Equation::template Value<Array>;

/// How far an array is read, as what stages it asks for it.
template <class Equation, int Array>
struct HaloOf {
  static constexpr Reach reach = Equation::reach(Array);
  static constexpr bool is_star = Equation::is_star(Array);
};

/// The greatest of number(reach) over arrays, 0 where there are none.
template <class Equation, int... Array, class Number>
constexpr int greatest(ArrayList<Array...>, const Number& number) {
  const int all[] = {0, number(Equation::reach(Array))...};
  int most = 0;
  for (const int one : all) most = one > most ? one : most;
  return most;
}
/// How far behind the point any array is read along x or y.
template <class Equation>
inline constexpr int farthest_in_plane = greatest<Equation>(typename Equation::Beside{}, [](Reach reach) {
  return reach.upper.x > reach.upper.y ? reach.upper.x : reach.upper.y;
});
/// Planes that are read of an array at most.
template <class Equation>
inline constexpr int deepest_along_z = greatest<Equation>(typename Equation::Beside{},
                                                          [](Reach reach) { return depth_z(reach); });

/// Calls visit.operator()<Lane>() for each lane of a vector.
template <int V, int Lane = 0, class Visit>
MINIMOD_HD inline void for_lanes(const Visit& visit) {
  if constexpr (Lane < V) {
    visit.template operator()<Lane>();
    for_lanes<V, Lane + 1>(visit);
  }
}

/// The place of a vector's first value, counted from the first lane of another vector; the vector is the one
/// that holds the value at `place`.
template <int V>
MINIMOD_HD constexpr int first_of_vector(int place) {
  return (place >= 0 ? place : place - V + 1) / V * V;
}

/// A thread of the host's own, which reads memory as it is.
struct NoBlock {};

/// Arrays in memory.
template <class Equation, class Block = NoBlock>
struct Memory {
  const typename Equation::Args& args;
  const Block& block;

  template <int Array>
  [[nodiscard]] MINIMOD_HD auto* array() const {
    return Equation::template data<Array>(args);
  }
  template <int Array>
  [[nodiscard]] MINIMOD_HD decltype(auto) layout() const {
    return Equation::template layout<Array>(args);
  }
  /// `offset` values behind an index.
  template <int Array>
  [[nodiscard]] MINIMOD_HD auto value(std::int64_t index, std::int64_t offset = 0) const {
    return value_in(array<Array>() + index, offset);
  }
  template <class Value>
  [[nodiscard]] MINIMOD_HD Value value_in(const Value* at, std::int64_t offset) const {
    if constexpr (Equation::is_read_only) {
      return block.read_only(at + offset);
    } else {
      return at[offset];
    }
  }
  /// V values from an index on that a vector has, and `offset` of them on.
  template <int Array, int V>
  [[nodiscard]] MINIMOD_HD auto vector(std::int64_t index, std::int64_t offset = 0) const {
    using Values = Vector<ValueOf<Equation, Array>, V>;
    const auto* const first = array<Array>() + index + offset;
    if constexpr (Equation::is_read_only) {
      return block.read_only(reinterpret_cast<const Values*>(first));
    } else {
      return block.read(reinterpret_cast<const Values*>(first));
    }
  }
  /// At a point of the box or around it.
  template <int Array>
  [[nodiscard]] MINIMOD_HD auto value_at(Index3 p) const {
    // The storage first: of addresses that end with it GPUs' compilers order loads otherwise, and worse.
    const auto* const all = array<Array>();
    return value_in(all, layout<Array>().index(p.x, p.y, p.z));
  }
};

/// The place of a point in the arrays. Its indices are worked out once, where the place is asked for.
template <class Equation, class Block = NoBlock>
struct ArrayPlace {
  using Real = typename Equation::Real;
  Memory<Equation, Block> memory;
  std::int64_t index, other;  ///< in the layout of most arrays, and in that of those elsewhere

  MINIMOD_HD ArrayPlace(const Memory<Equation, Block>& arrays, const Index3& p)
      : ArrayPlace(arrays, p, arrays.template layout<0>().index(p.x, p.y, p.z)) {}
  MINIMOD_HD ArrayPlace(const Memory<Equation, Block>& arrays, const Index3& p, std::int64_t known)
      : memory(arrays), index(known), other(known) {
    set_other(typename Equation::Elsewhere{}, p);
  }
  template <int Array>
  [[nodiscard]] MINIMOD_HD Real load() const {
    return static_cast<Real>(memory.template value<Array>(index_of<Array>()));
  }
  template <int Array>
  MINIMOD_HD void store(Real value) const {
    memory.template array<Array>()[index_of<Array>()] = static_cast<ValueOf<Equation, Array>>(value);
  }

 private:
  template <int Array>
  [[nodiscard]] MINIMOD_HD std::int64_t index_of() const {
    return Equation::Elsewhere::has(Array) ? other : index;
  }
  MINIMOD_HD void set_other(ArrayList<>, const Index3&) {}
  template <int First, int... Array>
  MINIMOD_HD void set_other(ArrayList<First, Array...>, const Index3& p) {
    other = memory.template layout<First>().index(p.x, p.y, p.z);
  }
};

/// A point of which a family has the values around it: what is read at the point alone comes from memory.
template <class Equation, class Block = NoBlock>
struct OwnPoint {
  using Real = typename Equation::Real;
  Memory<Equation, Block> memory;
  const Index3& p;

  [[nodiscard]] MINIMOD_HD const typename Equation::Args& args() const { return memory.args; }
  [[nodiscard]] MINIMOD_HD const Index3& at() const { return p; }
  [[nodiscard]] MINIMOD_HD auto place() const { return ArrayPlace<Equation, Block>(memory, p); }
  template <int Array>
  [[nodiscard]] MINIMOD_HD Real load() const {
    return static_cast<Real>(memory.template value_at<Array>(p));
  }
  template <int Array>
  MINIMOD_HD void store(Real value) const {
    place().template store<Array>(value);
  }
};

/// A point all of whose values come from memory. (The storage of the first array and the index are at hand
/// before they are read: of an index that is summed anew at each load compilers make a product more for each
/// plane.)
template <class Equation, class Block = NoBlock>
struct MemoryPoint {
  using Real = typename Equation::Real;
  Memory<Equation, Block> memory;
  const Index3& p;
  const ValueOf<Equation, 0>* first;  ///< array
  std::int64_t index;

  MINIMOD_HD MemoryPoint(const Memory<Equation, Block>& arrays, const Index3& point)
      : memory(arrays),
        p(point),
        first(memory.template array<0>()),
        index(memory.template layout<0>().index(p.x, p.y, p.z)) {}

  [[nodiscard]] MINIMOD_HD const typename Equation::Args& args() const { return memory.args; }
  [[nodiscard]] MINIMOD_HD const Index3& at() const { return p; }
  [[nodiscard]] MINIMOD_HD auto place() const { return ArrayPlace<Equation, Block>(memory, p, index); }
  template <int Array>
  [[nodiscard]] MINIMOD_HD Real load(int x = 0, int y = 0, int z = 0) const {
    static_assert(!Equation::Elsewhere::has(Array), "read at its place");
    const auto& in = memory.template layout<Array>();
    const std::int64_t offset = x + y * in.stride_y + z * in.stride_z;
    if constexpr (Array == 0) {
      return static_cast<Real>(memory.value_in(first + index, offset));
    } else {
      return static_cast<Real>(memory.template value<Array>(index, offset));
    }
  }
  template <int Array>
  MINIMOD_HD void store(Real value) const {
    place().template store<Array>(value);
  }
};

/// A point whose equation is held to the reach that it says of its arrays: farther away no family has them.
template <class Equation, class Block, class Point>
struct CheckedPoint : Point {
  template <int Array>
  [[nodiscard]] typename Equation::Real load(int x = 0, int y = 0, int z = 0) const {
    constexpr auto lower = Equation::reach(Array).lower, upper = Equation::reach(Array).upper;
    const bool is_within =
        x >= -lower.x && x <= upper.x && y >= -lower.y && y <= upper.y && z >= -lower.z && z <= upper.z;
    if (!is_within || (Equation::is_star(Array) && (x != 0) + (y != 0) + (z != 0) > 1)) {
      Block::template refuse_read<Equation, Array>(this->at(), {x, y, z});
    }
    return Point::template load<Array>(x, y, z);
  }
};

/// Computes a point that a family hands out; where threads are emulated, with that check.
template <class Equation, class Block, class Point>
MINIMOD_HD inline void compute_point(const Block&, const Point& point) {
  if constexpr (requires { Block::checks_reads; }) {
    Equation::compute(CheckedPoint<Equation, Block, Point>{point});
  } else {
    Equation::compute(point);
  }
}

/// The star of an array around a point, as `evaluate` reads it.
template <class Point, int Array>
struct StarOf {
  const Point& point;
  MINIMOD_HD auto x(int m) const { return point.template load<Array>(m, 0, 0); }
  MINIMOD_HD auto y(int m) const { return point.template load<Array>(0, m, 0); }
  MINIMOD_HD auto z(int m) const { return point.template load<Array>(0, 0, m); }
};

/// The results of V points side by side, until all of them are stored at once.
template <class Equation, int V>
struct Results {
  template <int Array>
  struct Part {
    Vector<ValueOf<Equation, Array>, V> vector;
  };
  PartsOf<Part, typename Equation::Outputs> parts;

  template <int Array>
  [[nodiscard]] MINIMOD_HD auto& of() {
    return static_cast<Part<Array>&>(parts).vector;
  }
  /// Stores those of the first `count` points from an index on, which is one at least, and all from V on.
  template <class Memory>
  MINIMOD_HD void store(const Memory& memory, std::int64_t index, int count) {
    for_each(typename Equation::Outputs{}, [&]<int Array>() {
      auto* const to = memory.template array<Array>() + index;
      if (V == 1 || count >= V) {
        *reinterpret_cast<Vector<ValueOf<Equation, Array>, V>*>(to) = of<Array>();
        return;
      }
#pragma unroll
      for (int lane = 0; lane < V - 1; ++lane) {
        if (lane < count) to[lane] = of<Array>().value[lane];
      }
    });
  }
};

/// Point number Lane of V side by side, all of whose values come from memory by vectors, for equations all of
/// whose arrays have one layout. The first of them stands on a vector, at `index`.
template <class Equation, class Block, int V, int Lane>
struct LaneOfMemory {
  using Real = typename Equation::Real;
  static_assert(Equation::Elsewhere::count == 0);
  const Memory<Equation, Block>& memory;
  const Index3& first;
  std::int64_t index;
  Results<Equation, V>& results;

  [[nodiscard]] MINIMOD_HD const typename Equation::Args& args() const { return memory.args; }
  [[nodiscard]] MINIMOD_HD Index3 at() const { return {first.x + Lane, first.y, first.z}; }
  template <int Array>
  [[nodiscard]] MINIMOD_HD Real load(int x = 0, int y = 0, int z = 0) const {
    const auto& in = memory.template layout<Array>();
    const int vector = first_of_vector<V>(Lane + x);
    return static_cast<Real>(
        memory.template vector<Array, V>(index, vector + y * in.stride_y + z * in.stride_z)
            .value[Lane + x - vector]);
  }
  template <int Array>
  MINIMOD_HD void store(Real value) const {
    results.template of<Array>().value[Lane] = static_cast<ValueOf<Equation, Array>>(value);
  }
};

/// Computes the V points of a thread that stand side by side from p on, of which p is one of the box.
template <int V, class Equation, class Block>
MINIMOD_HD inline void compute_from_memory(const Memory<Equation, Block>& memory, const Index3& p) {
  const std::int64_t index = memory.template layout<0>().index(p.x, p.y, p.z);
  Results<Equation, V> results;
  for_lanes<V>([&]<int Lane>() {
    Equation::compute(LaneOfMemory<Equation, Block, V, Lane>{memory, p, index, results});
  });
  results.store(memory, index, memory.args.box.end.x - p.x);
}

}  // namespace minimod
