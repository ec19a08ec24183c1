/// Parameters as users type them.
#pragma once

#include <string>
#include <string_view>

namespace minimod {

/// "--pml-width" of "pml-width": the spelling of the command line (spell_options).
[[nodiscard]] inline std::string as_typed(std::string_view name) {
  return "--" + std::string(name);
}

}  // namespace minimod
