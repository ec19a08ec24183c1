/// Where the program keeps what it need not find out again.
#pragma once

#include <filesystem>

namespace minimod {

/// minimod in $XDG_CACHE_HOME, or in ~/.cache; empty where there is neither.
[[nodiscard]] std::filesystem::path cache_folder();

}  // namespace minimod
