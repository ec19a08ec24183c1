/// Planes of tiles in shared memory, as a copy engine brings them.
#pragma once

#include "kernels/shape.hpp"
#include "kernels/vector4.hpp"

namespace minimod {

/// The data that a copy brings from memory into the L2: the sectors of 32 B that it asks for, or their whole
/// lines.
enum class Fetch { sectors, lines };

/// A plane of a tile in shared memory, as the copy engine brings it: rows of vectors.
template <int Vectors, int Rows, class Real = float>
struct alignas(128) PlaneOfTile {
  Vector<Real, reals_of_vector<Real>> value[Rows][Vectors];
};

/// A plane with its halo: on either side so many vectors as a stencil of that radius reaches, or further.
template <int Vectors, int Rows, int Radius>
using PlaneWithHalo = PlaneOfTile<Vectors + 2 * ceil_div(Radius, reals_of_vector<float>), Rows + 2 * Radius>;

}  // namespace minimod
