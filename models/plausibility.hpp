/// Numbers that cannot be of a model, as a wrong unit, a wrong axis or a wrong byte order leaves.
#pragma once

#include <span>
#include <string>

#include "kernels/grid.hpp"

namespace minimod {

/// m/s: water, rock and all between lie well inside.
inline constexpr double slowest_plausible = 100, fastest_plausible = 15'000;

/// Points per wavelength above which a length, a velocity or a frequency has another unit than it is read in.
inline constexpr double most_plausible_points = 1000;

/// Error 65 where velocities from `least` to `greatest` (m/s) of the model `name` are none of rock or water;
/// `unit_said`: somebody said their unit.
void require_plausible_velocities(const std::string& name, double least, double greatest, bool unit_said);

/// Error 65 where the spacing along one axis is more than 100 times that along another; `what` has it, and
/// `remedy` says what to do.
void require_plausible_spacing(Point3 spacing, const std::string& what, const std::string& remedy);

/// Whether none of these float32 is a velocity in m/s, km/s or ft/s as it stands, and each is one with its
/// four bytes in the other order.
[[nodiscard]] bool look_swapped(std::span<const float> values);

}  // namespace minimod
