/// Faults in the text of a specification, as errors with their place.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "src/base/error.hpp"
#include "src/stencil/language/specification_builder.hpp"

namespace minimod::stencil {

/// Error 65 as file:line:column, with as much of the line around the place as a line of a terminal has room
/// for.
[[nodiscard]] Error error_at(const Refusal& refusal, std::string_view specification,
                             const std::filesystem::path& path);

/// Refusal where a rule misses something at a byte: its message, or what stands there that the language does
/// not have. What ends a statement is missed where the statement ends, not where the next one begins.
[[nodiscard]] Refusal missed_at(std::size_t byte, std::string_view message, bool is_end,
                                std::string_view specification);

/// A line from 1 on, without blanks at its end.
[[nodiscard]] std::string_view line_of(std::string_view text, std::size_t number);

}  // namespace minimod::stencil
