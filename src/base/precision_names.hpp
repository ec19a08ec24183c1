/// Names of precisions in options and records.
#pragma once

#include "src/base/choices.hpp"
#include "src/base/precision.hpp"

namespace minimod {

inline constexpr NamedChoice<Precision> precision_names[] = {{Precision::float32, "single"},
                                                             {Precision::float64, "double"}};

[[nodiscard]] inline std::string precision_name(Precision precision) {
  return name_in(precision_names, precision);
}

}  // namespace minimod
