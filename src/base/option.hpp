/// Names of parameters in lines for a person: errors, notes, facts.
#pragma once

#include <string>
#include <string_view>

namespace minimod {

/// A caller's spelling of the parameter that the table of options has as `name`, "pml-width".
using Spelling = std::string (*)(std::string_view name);

/// Has `option` spell so from then on. By itself it spells as C and Python do: "pml_width".
void spell_options(Spelling spelling);

/// The parameter `name` in the caller's words: "--pml-width" for who sits before a command line.
[[nodiscard]] std::string option(std::string_view name);

/// The program's command `name`, "minimod kernels": what a remedy sends to.
[[nodiscard]] std::string command(std::string_view name);

}  // namespace minimod
