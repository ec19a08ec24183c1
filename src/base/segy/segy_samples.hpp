/// Samples as SEG-Y has them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "src/base/choices.hpp"
#include "src/base/segy/ibm_float.hpp"
#include "src/base/segy/segy_fields.hpp"

namespace minimod {

/// Formats of samples, by their codes: IEEE's, or IBM's, which keep 21 to 24 of 24 bits.
enum class SegyFloats { ibm = 1, ieee = 5 };
inline constexpr NamedChoice<SegyFloats> segy_float_names[] = {{SegyFloats::ieee, "ieee"},
                                                               {SegyFloats::ibm, "ibm"}};

namespace segy {

inline constexpr std::size_t sample_bytes = 4;
inline constexpr Field first_sample{1, sample_bytes};

/// The number that the first bytes are.
[[nodiscard]] inline double sample_in(std::span<const std::byte> bytes, SegyFloats floats) {
  const auto bits = static_cast<std::uint32_t>(count_at(bytes, first_sample));
  return floats == SegyFloats::ibm ? from_ibm(bits) : std::bit_cast<float>(bits);
}

/// Makes them that of a value, which is finite where IBM's are asked for.
inline void put_sample(std::span<std::byte> bytes, float value, SegyFloats floats) {
  put(bytes, first_sample, floats == SegyFloats::ibm ? to_ibm(value) : std::bit_cast<std::uint32_t>(value));
}

}  // namespace segy
}  // namespace minimod
