/// Units that files may be in.
#pragma once

namespace minimod {

inline constexpr double metres_per_foot = 0.3048;

}  // namespace minimod
