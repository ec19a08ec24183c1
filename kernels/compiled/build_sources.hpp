/// What the program carries of its sources, to compile shapes that it was not built with.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace minimod {

struct BuildSources {
  std::string compiler;  ///< of the host code
  std::string flags;     ///< that the builder gave it
  std::map<std::string_view, std::string_view>
      headers;  ///< their texts, by the names that they are included by; and those of kernels/stencils
};

[[nodiscard]] const BuildSources& build_sources();

}  // namespace minimod
