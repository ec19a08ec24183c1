/// Shapes that a GPU runs.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/registry.hpp"
#include "src/choice/device_choice.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

/// The shapes that run on that GPU: with code for it, in that decomposition.
inline std::vector<const CodeShape*> shapes_on(const Backend& gpu,
                                               Decomposition decomposition = Decomposition::seven) {
  std::vector<const CodeShape*> shapes;
  for (const CodeShape& shape : all_shapes()) {
    if (why_not(shape, gpu.info(), decomposition).empty()) shapes.push_back(&shape);
  }
  return shapes;
}

inline const Schedule* made_for(const CodeShape& shape) {
  const auto found = std::ranges::find_if(
      all_schedules(), [&](const Schedule* schedule) { return schedule->is_made_for(shape.device); });
  return found != all_schedules().end() ? *found : &sequence();
}

}  // namespace minimod
