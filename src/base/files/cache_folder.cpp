#include "src/base/files/cache_folder.hpp"

#include <cstdlib>

namespace minimod {

std::filesystem::path cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/') return std::filesystem::path(cache) / "minimod";
  if (home != nullptr && *home == '/') return std::filesystem::path(home) / ".cache" / "minimod";
  return {};
}

}  // namespace minimod
