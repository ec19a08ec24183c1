/// The stencils that the program has by name: the files of kernels/stencils, whose texts are in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/stencil/language/specification.hpp"

namespace minimod::stencil {

/// In the order of their names, numbers by their value.
[[nodiscard]] std::vector<std::string> shipped_names();

/// The stencil of that name, or of that file where none is named so. Errors: 66 neither is there; those of
/// read_specification.
[[nodiscard]] Specification find_specification(const std::string& name_or_file);

/// Names and files of a list with commas, each once, as find_specification takes them. Patterns of the shell
/// match names; "all" are those of the program.
[[nodiscard]] std::vector<std::string> matching_stencils(std::string_view list);
/// Errors as find_specification.
[[nodiscard]] std::vector<Specification> find_specifications(std::string_view list);

}  // namespace minimod::stencil
