#include "models/plausibility.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {
namespace {

constexpr double greatest_ratio = 100;  // between the spacings of two axes

float swapped(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>(bits >> 24 | (bits >> 8 & 0xff00) | (bits << 8 & 0xff0000) | bits << 24);
}

/// In any unit.
bool is_plausible(float value) {
  return value >= slowest_plausible / 1000 && value <= fastest_plausible / 0.3048;
}

}  // namespace

void require_plausible_velocities(const std::string& name, double least, double greatest, bool unit_said) {
  const bool slow = least < slowest_plausible;
  if (!slow && greatest <= fastest_plausible) return;
  const bool kilometres = greatest < slowest_plausible && !unit_said;
  const std::string wrong =
      kilometres ? text("has velocities up to ", greatest, " m/s, which looks like km/s")
                 : text("has velocities ", slow ? text("down to ", least, " m/s, under ", slowest_plausible)
                                                : text("up to ", greatest, " m/s, over ", fastest_plausible));
  throw Error(ErrorKind::data, text("'", escaped(name, 60), "' ", wrong),
              kilometres ? text("give ", option("velocity-unit"), " km/s")
                         : text("correct the values or their unit",
                                unit_said ? ""
                                          : text(" (", option("velocity-unit"),
                                                 " says which, where the file does not)")));
}

void require_plausible_spacing(Point3 spacing, const std::string& what, const std::string& remedy) {
  const auto [least, greatest] = std::minmax({spacing.x, spacing.y, spacing.z});
  if (greatest <= greatest_ratio * least) return;
  throw Error(ErrorKind::data,
              text(what, " of ", spacing.x, ", ", spacing.y, ", ", spacing.z,
                   " m (x, y, z) differs by more than ", greatest_ratio, " between the axes"),
              remedy);
}

bool look_swapped(std::span<const float> values) {
  return std::ranges::none_of(values, is_plausible) &&
         std::ranges::all_of(values, [](float v) { return is_plausible(swapped(v)); });
}

}  // namespace minimod
