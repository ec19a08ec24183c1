/// The traces of a gather in a file, whoever made it, with where and when they were recorded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/file_coordinates.hpp"
#include "src/base/error.hpp"
#include "src/base/reals.hpp"

namespace minimod {

struct RecordedTraces {
  std::vector<Point3> receivers;        ///< m, as the file has them
  std::vector<Point3> sources;          ///< the same; empty where the file says none
  bool has_first_source_alone = false;  ///< the format has room for one
  FileCoordinates place;                ///< place of their (0, 0, 0) on the map, where the file says so
  Reals values;                         ///< [receiver][sample]
  std::size_t samples = 0;              ///< samples of each, two or more
  double dt = 0, first = 0;             ///< s between samples, and of the first
  std::string unit;

  [[nodiscard]] double time(std::size_t sample) const { return first + static_cast<double>(sample) * dt; }
};

/// Reads the format that the name says, HDF5 where it says none. Errors: 65 another shape, uneven times,
/// values that are not finite, several shots; 66, 77 as InputFile has them; 71 too little memory.
[[nodiscard]] RecordedTraces read_recorded_traces(const std::filesystem::path& path);

/// Traces of /traces [receiver, time], /receivers [receiver, axis] (m) and /time (s, even), as a shot leaves
/// them, and where it is there /source [axis] or [source_number, axis]. Errors: 65, 66, 71, 77.
[[nodiscard]] RecordedTraces read_hdf5_traces(const std::filesystem::path& path);

/// Error 65 about what traces the file holds.
[[nodiscard]] Error traces_error(const std::filesystem::path& path, const std::string& what,
                                 const std::string& remedy);

}  // namespace minimod
