/// The traces of a shot in SEG-Y, whoever wrote it.
#pragma once

#include <filesystem>

#include "src/io/gather/recorded_traces.hpp"

namespace minimod {

/// One shot's traces at the coordinates of their receiver groups (81-88) and the depths that their elevations
/// (41-44) say, from the delay (109-110) on; `unit` is empty. Errors: 65 another shape, several shots; 71 too
/// little memory; those of segy::Input.
[[nodiscard]] RecordedTraces read_segy_traces(const std::filesystem::path& path);

}  // namespace minimod
