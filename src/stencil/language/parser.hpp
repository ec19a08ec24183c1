/// Reads the text of a specification; kernels/stencils/README.md has the language.
#pragma once

#include <filesystem>
#include <string_view>

#include "src/stencil/language/specification.hpp"

namespace minimod::stencil {

/// The specification of a file, named as the file without its suffix. Errors: 66 missing or no regular file,
/// 77 unreadable, 74 reading failed midway, 65 anything else: as file:line:column with the line.
[[nodiscard]] Specification read_specification(const std::filesystem::path& path);

/// The same of a text that stands for such a file.
[[nodiscard]] Specification parse_specification(std::string_view text, const std::filesystem::path& path);

}  // namespace minimod::stencil
