/// Shapes that a GPU runs.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/registry.hpp"
#include "src/choice/device_choice.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

/// A tile of each family, of some two, that is not built in: GPUs' compilers take it when asked for it.
inline constexpr const char* tiles_compiled_for_gpus[] = {"gmem_16x4x2",
                                                          "gmem_column_24x6x5",
                                                          "smem_u_9x8x8",
                                                          "smem_eta_1_7x7x7",
                                                          "smem_eta_3_12x5x4",
                                                          "semi_12x6x5",
                                                          "st_smem_24x20",
                                                          "st_smem_32x30",
                                                          "coarsened_20x12x13",
                                                          "st_reg_shft_24x20",
                                                          "st_reg_shft_db_40x12",
                                                          "st_reg_fixed_24x24",
                                                          "st_reg_fixed_db_24x20",
                                                          "st_semi_24x12",
                                                          "smem_partial_48x6",
                                                          "st_window_48x12x20",
                                                          "in_plane_vertical_40x12_r1x3",
                                                          "in_plane_horizontal_48x8_r3x2_v1",
                                                          "in_plane_full_48x12_r1x3_v2"};

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
