/// Exit codes that the program ends with.
#pragma once

#include "src/base/error.hpp"

namespace minimod {

/// The code of each kind of error, as sysexits.h has them where it has one.
[[nodiscard]] constexpr int sysexit_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::none:
      return 0;
    case ErrorKind::parameter:
      return 64;
    case ErrorKind::data:
      return 65;
    case ErrorKind::missing_input:
      return 66;
    case ErrorKind::unavailable:
      return 69;
    case ErrorKind::internal:
      return 70;
    case ErrorKind::resource:
      return 71;
    case ErrorKind::cannot_create:
      return 73;
    case ErrorKind::io:
      return 74;
    case ErrorKind::stopped:
      return 75;
    case ErrorKind::permission:
      return 77;
  }
  return 70;
}

}  // namespace minimod
