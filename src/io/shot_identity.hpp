/// Identity of the shot that a file is of, so that a call that goes on knows what an earlier one has left.
#pragma once

#include <string>

namespace minimod {

inline constexpr const char* date_attribute = "date";
inline constexpr const char* configuration_attribute = "configuration";

struct ShotIdentity {
  std::string date;           ///< UTC, of the shot's first start
  std::string configuration;  ///< hash of what decides its bits, as eight digits (`hash_of`)
};

}  // namespace minimod
