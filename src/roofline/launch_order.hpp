/// The part of the report that each kernel launch of a step belongs to.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/roofline/counters.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

/// Whether a launch that a profiler saw is a part of a step: all but the injection of the source.
[[nodiscard]] bool is_part(const KernelCounters& launch);

/// The launches of each of several sets of kernels that ran `steps` steps one after the other, out of all of
/// them; empty where they are missing, and all empty where there are too many, as nobody knows then which is
/// which. Where the run was `cut_off`, what is there of whole periods is taken.
[[nodiscard]] std::vector<std::span<const KernelCounters>> launches_of_each(
    std::span<const LaunchOrder> sets, int steps, std::span<const KernelCounters> all, bool cut_off);

/// The readings of a part for one step, out of those of all launches of whole periods. Readings that add up
/// (".sum") do, of others (shares, rates, registers) it is the mean.
[[nodiscard]] CounterReadings readings_of(const std::string& part, const LaunchOrder& order,
                                          std::span<const KernelCounters> launches);

}  // namespace minimod
