/// Of which shot a file is, so that a call that goes on knows what an earlier one has left.
#pragma once

#include <filesystem>
#include <string>

namespace minimod {

inline constexpr const char* date_attribute = "date";
inline constexpr const char* configuration_attribute = "configuration";

struct ShotIdentity {
  std::string date;           ///< UTC, of the shot's first start
  std::string configuration;  ///< what decides its bits, as eight digits (`hash_of`)
};

/// Whether the file, a gather or snapshots in HDF5, or a gather in SEG-Y, says that it is of that shot.
[[nodiscard]] bool is_of(const ShotIdentity& shot, const std::filesystem::path& file);

}  // namespace minimod
