/// The codes that a process ends with. Which they are the program says: what stands below it knows kinds.
#pragma once

#include <atomic>
#include <optional>

#include "src/base/error.hpp"

namespace minimod {

/// The code of each kind; it may be asked for where a signal is handled.
using ExitCodes = int (*)(ErrorKind kind);

inline constexpr ExitCodes usual_exit_codes = [](ErrorKind kind) { return kind == ErrorKind::none ? 0 : 1; };
inline std::atomic<ExitCodes> present_exit_codes = usual_exit_codes;

/// Has `exit_code` say these from then on.
inline void use_exit_codes(ExitCodes codes) {
  present_exit_codes = codes;
}

[[nodiscard]] inline int exit_code(ErrorKind kind) {
  return present_exit_codes.load()(kind);
}

/// The kind of error that another process of the program has ended with; nothing for another code.
[[nodiscard]] inline std::optional<ErrorKind> kind_of(int code) {
  for (int i = 1; i <= static_cast<int>(ErrorKind::permission); ++i) {
    if (code == exit_code(static_cast<ErrorKind>(i))) return static_cast<ErrorKind>(i);
  }
  return std::nullopt;
}

}  // namespace minimod
