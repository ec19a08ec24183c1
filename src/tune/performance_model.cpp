#include "src/tune/performance_model.hpp"

#include <algorithm>
#include <cmath>

namespace minimod {

namespace {

constexpr double l2_bytes_of_clock = 64;  ///< to or from a multiprocessor
constexpr double own_share = 0.5;         ///< share of its own work that a block waits for at its barriers
constexpr double operation_cycles = 4;    ///< until the next one of a sum has its result

/// A round of the blocks that a multiprocessor has at once.
class Round {
 public:
  Round(const GpuFacts& gpu, const BlockWork& work, const LaunchFacts& compiled, double value_bytes)
      : gpu_(gpu), work_(work), compiled_(compiled), value_bytes_(value_bytes) {}

  /// Equations 10 to 13.
  [[nodiscard]] double as_printed(double blocks) const {
    const double bytes = (work_.loaded + work_.own_values * work_.points) * value_bytes_;
    const double t_m = latency() + bytes / bandwidth();
    const double t_c = compiled_.active_blocks * computing();
    return serialized(blocks) * t_m + blocks * t_c;
  }

  [[nodiscard]] double mended(double blocks) const {
    const double of_memory = (work_.halo_fields + work_.own_values) * work_.points * value_bytes_;
    const double spilled = 2.0 * static_cast<double>(compiled_.local_bytes) * gpu_.warp_threads * work_.warps;
    const double of_l2 = (work_.loaded + work_.own_values * work_.points) * value_bytes_ + spilled;
    const double transfer = std::max(of_memory / bandwidth(), of_l2 / (l2_bytes_of_clock * gpu_.clock_hz));
    const double further_rows = (work_.rows_per_warp - 1) * work_.star_loads * warp_steps() / gpu_.clock_hz;
    const double of_block = std::max(transfer, computing() + further_rows);
    return latency() + work_.points_per_thread * waiting_of_point() + (blocks + own_share) * of_block;
  }

 private:
  [[nodiscard]] double latency() const { return gpu_.latency_cycles / gpu_.clock_hz; }
  /// For its own values from memory, or, where it has but a result to store, for its sum.
  [[nodiscard]] double waiting_of_point() const {
    return work_.own_values > 1 ? latency() : work_.operations * operation_cycles / gpu_.clock_hz;
  }
  /// BW_SM.
  [[nodiscard]] double bandwidth() const { return gpu_.bytes_per_s / gpu_.multiprocessors; }
  /// Computing time of a block.
  [[nodiscard]] double computing() const { return work_.operations * warp_steps() / gpu_.clock_hz; }
  /// Points of a block, a warp's at a time.
  [[nodiscard]] double warp_steps() const { return work_.points_per_thread * work_.warps; }
  /// f: from all blocks, whose one warp hides nothing, linearly to one, when the multiprocessor is full.
  [[nodiscard]] double serialized(double blocks) const {
    const double warps = blocks * work_.warps;
    const double fullness = std::min(1.0, (warps - 1) / (gpu_.most_warps - 1));
    return blocks - (blocks - 1) * fullness;
  }

  const GpuFacts& gpu_;
  const BlockWork& work_;
  const LaunchFacts& compiled_;
  double value_bytes_;
};

}  // namespace

double predicted_seconds(ModelForm form, const GpuFacts& gpu, const BlockWork& work,
                         const LaunchFacts& compiled, std::size_t value_bytes) {
  const Round round(gpu, work, compiled, static_cast<double>(value_bytes));
  const auto seconds = [&](double blocks) {
    return form == ModelForm::paper ? round.as_printed(blocks) : round.mended(blocks);
  };
  const double at_once = static_cast<double>(gpu.multiprocessors) * compiled.active_blocks;
  const double stages = std::ceil(work.blocks / at_once);                                            // (8)
  const double remaining = std::ceil((work.blocks - (stages - 1) * at_once) / gpu.multiprocessors);  // (9)
  return work.rounds * ((stages - 1) * seconds(compiled.active_blocks) + seconds(remaining));        // (14)
}

}  // namespace minimod
