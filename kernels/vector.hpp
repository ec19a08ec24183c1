/// Values that are loaded and stored at once.
#pragma once

namespace minimod {

/// V values of an array, by 16 B at most.
template <class Value, int V>
struct alignas(V * sizeof(Value) < 16 ? V * sizeof(Value) : 16) Vector {
  Value value[V];
};

/// Reals of a vector that is one load and one store: 4 floats, 2 doubles.
template <class Real>
inline constexpr int reals_of_vector = 16 / sizeof(Real);

}  // namespace minimod
