/// Work of a boundary point by point behind the launches of a step, on any device.
#pragma once

#include <variant>

#include "boundary/sponge.hpp"
#include "kernels/free_surface.hpp"

namespace minimod {

/// Functions of a point, of which each writes to its own point or column only.
using PointWork = std::variant<Taper<float>, Taper<double>, OddImage<float>, OddImage<double>>;

}  // namespace minimod
