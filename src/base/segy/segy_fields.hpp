/// Where SEG-Y has what: the one table of its headers, which files are read and written by (SEG Technical
/// Standards Committee: revision 1, 2002, with what revision 2, 2017, added).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace minimod::segy {

inline constexpr std::size_t text_header_bytes = 3200;
inline constexpr std::size_t file_header_bytes = 3600;
inline constexpr std::size_t trace_header_bytes = 240;

/// A big-endian number: its first byte, counted from 1 as the standard does, and how many it has.
struct Field {
  std::size_t at;
  int bytes;
};

/// Fields of the file's binary header, whose bytes are counted from the text header's first.
namespace file {
inline constexpr Field job{3201, 4}, line{3205, 4}, reel{3209, 4}, ensemble_traces{3213, 2},
    interval{3217, 2}, recorded_interval{3219, 2}, samples{3221, 2}, recorded_samples{3223, 2},
    format{3225, 2}, fold{3227, 2}, sorting{3229, 2}, system{3255, 2}, polarity{3257, 2}, revision{3501, 1},
    fixed_length{3503, 2}, text_headers{3505, 2};
/// Since revision 2; the trace headers beside the first are counted in 4 bytes in 2.0, in 2 from 2.1 on.
inline constexpr Field long_ensemble_traces{3261, 4}, long_samples{3269, 4}, byte_order{3297, 4},
    minor_revision{3502, 1}, more_trace_headers_2_0{3507, 4}, more_trace_headers{3507, 2}, traces{3513, 8},
    first_trace{3521, 8}, trailers{3529, 4};
}  // namespace file

/// Fields of a trace's header.
namespace trace {
inline constexpr Field in_line{1, 4}, in_file{5, 4}, record{9, 4}, in_record{13, 4}, source_point{17, 4},
    ensemble{21, 4}, kind{29, 2}, summed{31, 2}, stacked{33, 2}, use{35, 2}, offset{37, 4},
    receiver_elevation{41, 4}, surface_elevation{45, 4}, source_depth{49, 4}, source_water{61, 4},
    receiver_water{65, 4}, elevation_scalar{69, 2}, coordinate_scalar{71, 2}, source_x{73, 4},
    source_y{77, 4}, receiver_x{81, 4}, receiver_y{85, 4}, coordinate_units{89, 2}, delay{109, 2},
    samples{115, 2}, interval{117, 2}, year{157, 2}, day{159, 2}, hour{161, 2}, minute{163, 2},
    second{165, 2}, time_basis{167, 2}, ensemble_x{181, 4}, ensemble_y{185, 4}, inline_number{189, 4},
    crossline_number{193, 4}, time_scalar{215, 2};
}  // namespace trace

/// Number in a field of a header, or of samples, without a sign, as counts are.
[[nodiscard]] inline std::uint64_t count_at(std::span<const std::byte> bytes, Field field) {
  std::uint64_t value = 0;
  for (const std::byte byte : bytes.subspan(field.at - 1, field.bytes))
    value = value << 8 | std::to_integer<std::uint64_t>(byte);
  return value;
}

/// A whole number with its sign, of a field of 4 bytes at most.
[[nodiscard]] inline int number_at(std::span<const std::byte> bytes, Field field) {
  const int unused = 64 - 8 * field.bytes;
  return static_cast<int>(static_cast<std::int64_t>(count_at(bytes, field) << unused) >> unused);
}

inline void put(std::span<std::byte> bytes, Field field, std::int64_t value) {
  for (int i = field.bytes; i-- > 0; value >>= 8)
    bytes[field.at - 1 + i] = static_cast<std::byte>(value & 0xff);
}

/// A number by a scalar of a header: one below 0 divides, and 0 counts as 1. A division by 10 gives other
/// digits than a product with 0.1.
[[nodiscard]] inline double scaled(double value, int scalar) {
  return scalar < 0 ? value / -scalar : value * std::max(scalar, 1);
}
[[nodiscard]] inline double scaled_at(std::span<const std::byte> trace, Field field, Field scalar) {
  return scaled(number_at(trace, field), number_at(trace, scalar));
}

}  // namespace minimod::segy
