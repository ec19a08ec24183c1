/// Where a shot has its sources and its receivers, in metres of the model's coordinates: (0, 0, 0) m is the
/// first node of the inner box; z points down.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/grid.hpp"

namespace minimod {

/// Shots without numbers of their own count from here, as SEG-Y's field records do.
inline constexpr int first_shot_number = 1;

struct ShotSource {
  Point3 position;
  std::string wavelet;   ///< as --wavelet has it
  double amplitude = 1;  ///< times the wavelet; not 0
};

/// One shot: sources that start together, and the receivers that hear them.
struct ShotGeometry {
  int id = first_shot_number;  ///< number of the shot
  std::vector<ShotSource> sources;
  std::vector<Point3> receivers;
  std::vector<std::int64_t> stations = {};  ///< numbers that the field gave these; empty: none
};

}  // namespace minimod
