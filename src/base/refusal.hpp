/// Work that a device may refuse.
#pragma once

#include <string>

#include "src/base/error.hpp"

namespace minimod {

/// Reason for which `work` is refused, by memory that is not there or a launch that cannot be; empty when it
/// is not. Other errors than 71 go on.
template <class Work>
std::string refusal_of(const Work& work) {
  try {
    work();
    return "";
  } catch (const Error& refusal) {
    if (refusal.kind() != ErrorKind::resource) throw;
    return refusal.what();
  }
}

}  // namespace minimod
