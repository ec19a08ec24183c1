/// Checks of the one error that host code throws.
#pragma once

#include <string>

#include "src/base/error.hpp"

namespace minimod {

/// The kind of error with which `action` fails, and what it says; ErrorKind::none where it does not fail.
struct Outcome {
  ErrorKind kind = ErrorKind::none;
  std::string message;
  [[nodiscard]] bool says(const std::string& part) const { return message.find(part) != std::string::npos; }
};

template <class Action>
Outcome outcome_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  return {};
}

/// Room that is left of the 240 characters of an error's line after "minimod: error: ".
inline constexpr std::size_t longest_message = 224;

}  // namespace minimod
