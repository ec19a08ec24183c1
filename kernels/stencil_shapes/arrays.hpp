/// What the kernels of a specification share: their arguments, and how they come to the values of arrays.
///
/// The equations come as a type that the program writes (src/stencil/kernel_source.cpp):
///   Real                      what is computed in
///   is_double(array)          what the array has in memory, double or float
///   reach(array)              how far beside the point it is read
///   Beside, BesideInPlane     ArrayLists of those that are read beside the point, and beside it along x or y
///   Outputs                   ArrayList of those that are written
///   compute(point)            reads by point.load<Array, X, Y, Z>(), stores by point.store<Array>(value).
#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/shape.hpp"

namespace minimod::stencil {

/// How many points away from the point is read on the lower and the upper side of each axis.
struct Reach {
  Index3 lower, upper;
};

inline constexpr int most_arrays = 32;

/// The lesser and the greater of two values; where one is no number, none, so that memory which nobody wrote
/// shows.
template <class Real>
MINIMOD_HD inline Real lesser(Real a, Real b) {
  return a < b || a != a ? a : b;
}
template <class Real>
MINIMOD_HD inline Real greater(Real a, Real b) {
  return a > b || a != a ? a : b;
}

/// What a launch gets. All arrays have one layout, and the points of the box with all that is read around
/// them.
struct ArrayArgs {
  Box3 box;
  Layout layout;
  void* arrays[most_arrays];  ///< in the order of the specification
};

template <int... Array>
struct ArrayList {};

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

template <class Equations, int Array>
using ValueOf = std::conditional_t<Equations::is_double(Array), double, float>;

/// V values of an array that are loaded and stored at once, by 16 B at most.
template <class Value, int V>
struct alignas(V * sizeof(Value) < 16 ? V * sizeof(Value) : 16) Vector {
  Value value[V];
};

/// Calls visit.operator()<Lane>() for each lane of a vector.
template <int V, int Lane = 0, class Visit>
MINIMOD_HD inline void for_lanes(const Visit& visit) {
  if constexpr (Lane < V) {
    visit.template operator()<Lane>();
    for_lanes<V, Lane + 1>(visit);
  }
}

/// Of the vector that holds the value `place` behind the first lane of another: its first value's place.
template <int V>
MINIMOD_HD constexpr int first_of_vector(int place) {
  return (place >= 0 ? place : place - V + 1) / V * V;
}

/// Points that are read along an axis.
MINIMOD_HD constexpr int depth_x(Reach reach) {
  return reach.lower.x + reach.upper.x + 1;
}
MINIMOD_HD constexpr int depth_y(Reach reach) {
  return reach.lower.y + reach.upper.y + 1;
}
MINIMOD_HD constexpr int depth_z(Reach reach) {
  return reach.lower.z + reach.upper.z + 1;
}
MINIMOD_HD constexpr bool is_beside(Reach reach) {
  return depth_x(reach) * depth_y(reach) * depth_z(reach) > 1;
}
MINIMOD_HD constexpr bool is_beside_in_plane(Reach reach) {
  return depth_x(reach) * depth_y(reach) > 1;
}

/// Arrays in memory. `ReadOnly`: inputs are read through the GPU's read-only path.
template <class Equations, bool ReadOnly, class Block>
struct Memory {
  const ArrayArgs& args;
  const Block& block;

  template <int Array>
  [[nodiscard]] MINIMOD_HD auto* array() const {
    return static_cast<ValueOf<Equations, Array>*>(args.arrays[Array]);
  }
  template <int Array>
  [[nodiscard]] MINIMOD_HD auto value(std::int64_t index) const {
    if constexpr (ReadOnly) {
      return block.read_only(array<Array>() + index);
    } else {
      return array<Array>()[index];
    }
  }
  /// V values from an index on that a vector has, and `offset` of them on.
  template <int Array, int V>
  [[nodiscard]] MINIMOD_HD auto vector(std::int64_t index, std::int64_t offset = 0) const {
    using Values = Vector<ValueOf<Equations, Array>, V>;
    const auto* const first = array<Array>() + index + offset;
    if constexpr (ReadOnly) {
      return block.read_only(reinterpret_cast<const Values*>(first));
    } else {
      return block.read(reinterpret_cast<const Values*>(first));
    }
  }
  /// At a point of the box or around it.
  template <int Array>
  [[nodiscard]] MINIMOD_HD auto value_at(Index3 p) const {
    return value<Array>(args.layout.index(p.x, p.y, p.z));
  }
};

/// A point all of whose values come from memory.
template <class Equations, class Source>
struct MemoryPoint {
  using Real = typename Equations::Real;
  const Source& memory;
  std::int64_t index;

  template <int Array, int X, int Y, int Z>
  [[nodiscard]] MINIMOD_HD Real load() const {
    const Layout& at = memory.args.layout;
    return static_cast<Real>(memory.template value<Array>(index + X + Y * at.stride_y + Z * at.stride_z));
  }
  template <int Array>
  MINIMOD_HD void store(Real value) const {
    memory.template array<Array>()[index] = static_cast<ValueOf<Equations, Array>>(value);
  }
};

/// What V points side by side compute, until all of them are stored at once.
template <class Equations, int V>
struct Results {
  template <int Array>
  struct Part {
    Vector<ValueOf<Equations, Array>, V> vector;
  };
  PartsOf<Part, typename Equations::Outputs> parts;

  template <int Array>
  [[nodiscard]] MINIMOD_HD auto& of() {
    return static_cast<Part<Array>&>(parts).vector;
  }
  /// Stores those of the first `count` points, which is one at least, and all from V on.
  template <class Source>
  MINIMOD_HD void store(const Source& memory, std::int64_t index, int count) {
    for_each(typename Equations::Outputs{}, [&]<int Array>() {
      auto* const to = memory.template array<Array>() + index;
      if (V == 1 || count >= V) {
        *reinterpret_cast<Vector<ValueOf<Equations, Array>, V>*>(to) = of<Array>();
        return;
      }
#pragma unroll
      for (int lane = 0; lane < V - 1; ++lane) {
        if (lane < count) to[lane] = of<Array>().value[lane];
      }
    });
  }
};

/// Point number Lane of V side by side, all of whose values come from memory by vectors. `index` is that of
/// the first point, which stands on a vector.
template <class Equations, class Source, int V, int Lane>
struct LaneOfMemory {
  using Real = typename Equations::Real;
  const Source& memory;
  std::int64_t index;
  Results<Equations, V>& results;

  template <int Array, int X, int Y, int Z>
  [[nodiscard]] MINIMOD_HD Real load() const {
    const Layout& at = memory.args.layout;
    constexpr int first = first_of_vector<V>(Lane + X);
    return static_cast<Real>(
        memory.template vector<Array, V>(index, first + Y * at.stride_y + Z * at.stride_z)
            .value[Lane + X - first]);
  }
  template <int Array>
  MINIMOD_HD void store(Real value) const {
    results.template of<Array>().value[Lane] = static_cast<ValueOf<Equations, Array>>(value);
  }
};

/// A part of an array in shared memory, x fastest.
template <class Value, int Nx, int Ny, int Nz>
struct SharedBox {
  Value value[Nz][Ny][Nx];

  /// Brings it by `Threads` threads, of which this is number `thread`; read(x, y, z) has the value of a place
  /// in the box. Beyond `there` arrays may end, and nobody needs it.
  template <int Threads, class Read>
  MINIMOD_HD void fill(int thread, Extent3 there, const Read& read) {
#pragma unroll 4
    for (int i = thread; i < Nx * Ny * Nz; i += Threads) {
      const int x = i % Nx, y = i / Nx % Ny, z = i / (Nx * Ny);
      if (x < there.x && y < there.y && z < there.z) value[z][y][x] = read(x, y, z);
    }
  }
};

/// The points of a thread that has PX x PY of a tile, TX and TY apart: body(a, b, p), p in the first plane.
template <int PX, int PY, int TX, int TY, class Body>
MINIMOD_HD inline void for_points_of_thread(Index3 first, Index3 thread, const Body& body) {
#pragma unroll
  for (int b = 0; b < PY; ++b) {
#pragma unroll
    for (int a = 0; a < PX; ++a)
      body(a, b, Index3{first.x + thread.x + a * TX, first.y + thread.y + b * TY, first.z});
  }
}

}  // namespace minimod::stencil
