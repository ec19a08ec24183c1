/// What a boundary does point by point behind the launches of a step, on any device.
#pragma once

#include <variant>

#include "boundary/cpml.hpp"
#include "boundary/sponge.hpp"
#include "kernels/free_surface.hpp"

namespace minimod {

/// Functions of a point, of which each writes to its own point or column only.
using PointWork = std::variant<CpmlMemoryUpdate<0>, CpmlMemoryUpdate<1>, CpmlMemoryUpdate<2>,
                               CpmlCorrection<0>, CpmlCorrection<1>, CpmlCorrection<2>, Taper, OddImage>;

}  // namespace minimod
