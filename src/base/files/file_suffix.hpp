/// Formats that names of files say by their suffix, in either case: one rule for all that is read and
/// written.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace minimod {

/// ".sgy" of "a.SGY".
[[nodiscard]] std::string small_suffix(const std::filesystem::path& file);

/// .h5 and .hdf5.
[[nodiscard]] bool is_hdf5_name(const std::filesystem::path& file);

/// .sgy and .segy.
[[nodiscard]] bool is_segy_name(const std::filesystem::path& file);

/// "HDF5" or "SEG-Y", "Seismic Unix" of x.su: also formats that are never written, so that their names become
/// no folders. Empty where the suffix says none.
[[nodiscard]] std::string_view format_said_by(const std::filesystem::path& file);

}  // namespace minimod
