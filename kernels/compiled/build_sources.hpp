/// Sources that the program carries, to compile shapes that it was not built with.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace minimod {

struct BuildSources {
  std::string compiler;  ///< name of the host code's compiler
  std::string flags;     ///< compiler's flags that the builder gave
  std::map<std::string_view, std::string_view>
      headers;  ///< texts by the names that they are included by, those of kernels/stencils too
};

[[nodiscard]] const BuildSources& build_sources();

}  // namespace minimod
