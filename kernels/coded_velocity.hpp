/// (V Δt)² in 16 bits, for the shapes that read it so: 2 B a point instead of 4, for an error that the code
/// states.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/layouts/chunks.hpp"
#include "kernels/stencil.hpp"

namespace minimod {

/// Unsigned codes, linear between the least and the greatest value of a field. The least decodes to itself,
/// and so does the greatest where it is no more than 32768 times the least; a constant field has scale 0 and
/// no error.
struct VelocityCode {
  static constexpr int most = 65535;

  float low = 0;    ///< value of code 0, m²
  float scale = 0;  ///< from a code to the next, m²

  [[nodiscard]] static VelocityCode between(float least, float greatest) {
    return {least, static_cast<float>((double{greatest} - least) / most)};
  }

  /// The nearest code; values outside take the code of the end.
  [[nodiscard]] MINIMOD_HD std::uint16_t encode(float value) const {
    if (scale == 0) return 0;
    const double steps = (double{value} - low) / scale + 0.5;
    return static_cast<std::uint16_t>(steps < 0 ? 0 : steps > most ? most : steps);
  }

  [[nodiscard]] MINIMOD_HD float decode(std::uint16_t code) const {
    return fused(static_cast<float>(code), scale, low);
  }

  /// Greatest difference between a value and what its code gives: half a scale, and the rounding of the
  /// result to float, which is about a hundredth of that where the field varies by half.
  [[nodiscard]] double greatest_error() const {
    if (scale == 0) return 0;
    const float greatest = decode(most);
    const double unit = double{std::nextafter(greatest, std::numeric_limits<float>::max())} - greatest;
    return 0.5 * scale + 0.5 * unit;
  }

  /// The same as a share of the least value.
  [[nodiscard]] double greatest_relative_error() const { return low > 0 ? greatest_error() / low : 0; }
};

/// Gives a point of the grid the code of its medium.
template <class At>
struct CodesOfMedium {
  VelocityCode code;
  At layout;
  const float* medium = nullptr;
  Layout layout_of_codes;
  std::uint16_t* codes = nullptr;
  MINIMOD_HD void operator()(Index3 p) const {
    codes[layout_of_codes.index(p.x, p.y, p.z)] = code.encode(medium[layout.index(p.x, p.y, p.z)]);
  }
};

}  // namespace minimod
