/// Common parts of writing and reading a gather's file.
#pragma once

#include <string_view>

#include "src/base/files/output_file.hpp"

namespace minimod::gather_file {

/// Text of the root's attribute "format".
inline constexpr std::string_view format_name = "minimod shot gather 1";
inline constexpr std::string_view sections_format_name = "minimod model sections 1";

extern const FileKind kind;

}  // namespace minimod::gather_file
