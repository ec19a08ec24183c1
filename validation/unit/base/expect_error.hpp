/// Checks of the one error that host code throws.
#pragma once

#include <string>

#include "src/base/error.hpp"

namespace minimod {

/// The code with which `action` fails, and what it says; ExitCode::ok where it does not fail.
struct Outcome {
  ExitCode code = ExitCode::ok;
  std::string message;
  [[nodiscard]] bool says(const std::string& part) const { return message.find(part) != std::string::npos; }
};

template <class Action>
Outcome outcome_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

/// Room that is left of the 240 characters of an error's line after "minimod: error: ".
inline constexpr std::size_t longest_message = 224;

}  // namespace minimod
