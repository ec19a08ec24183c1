/// One modeling run: from the options to the gather.
#pragma once

#include <optional>

#include "src/choice/device_choice.hpp"
#include "src/shot/plan.hpp"

namespace minimod {

/// What a run measured and found.
struct RunResult {
  double seconds = 0;                         ///< of the time loop on the device
  std::vector<TimedPart> parts;               ///< of a step, with their mean seconds
  Extremes extremes;                          ///< of the final wavefield over all points
  StreamRates stream;                         ///< of the device, measured before the run
  std::optional<VelocityCode> velocity_code;  ///< of (V Δt)², where the inner kernel reads it in 16 bits
  double gpt_per_s = 0;                       ///< over inner and PML points
  double gb_per_s = 0;                        ///< at the counted bytes
};

/// Bytes that a point update must move at least: u, u⁻ and V² read, u⁺ written; φ read and written too.
inline constexpr int inner_bytes_per_point = 16;
inline constexpr int pml_bytes_per_point = 24;
/// Two less in the inner box where V² comes in 16 bits.
[[nodiscard]] inline int inner_bytes_of(const KernelSet& kernels) {
  return inner_bytes_per_point - (kernels.inner->needs.v16 ? 2 : 0);
}

/// Bytes that a step must move at least; two less a point of the inner box where V² comes in 16 bits.
[[nodiscard]] double bytes_of_a_step(const Grid& grid, const BoundarySpec& boundary,
                                     const KernelSet& kernels);

/// Runs the shot, writes the gather and the record, and prints facts and figures on stdout. Errors: as
/// make_plan and choose_device; 65 a wavefield that is not finite, or grows after the source's end,
/// within Watch::steps_between_looks steps, 71 too little memory, 74 a gather that cannot be written, 75
/// after SIGINT or SIGTERM.
void run_shot(const ShotOptions& options);

}  // namespace minimod
