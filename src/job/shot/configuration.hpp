/// All that decides the bits of a shot, so that nothing goes on with what another shot has left.
#pragma once

#include <string>

#include "src/base/json.hpp"
#include "src/choice/device_choice.hpp"
#include "src/job/plan/plan.hpp"
#include "src/solver/kernel_set.hpp"

namespace minimod {

/// Raised where the same options make other bits than before.
inline constexpr int arithmetic_version = 3;

/// A flat object, whose names are what a user knows the values by. Device, schedule and threads are not among
/// them, and of the kernels what changes bits: the order of their sums, and (V Δt)² in 16 bits.
using Configuration = Json;

/// Configuration that the shots of a survey share: model with its content, grid, boundary, time, program.
[[nodiscard]] Configuration shared_configuration(const RunPlan& plan);
/// Adds what only the kernels say; with a GPU and --kernel auto it is known late.
void add_kernels(Configuration& configuration, const KernelSet& kernels);
/// The same for a survey, whose workers have `auto` decide for themselves: kernels that it took among some of
/// other bits are told apart from those that were named, not from each other.
void add_kernels_of_survey(Configuration& configuration, const DeviceChoice& choice);
/// And a shot's own: where its source and receivers are, and what is fed in.
[[nodiscard]] Configuration with_shot(Configuration shared, const Shot& shot);

/// Eight digits that tell configurations apart, as journals keep them.
[[nodiscard]] std::string hash_of(const Configuration& configuration);

/// "--dt (s) is 0.0012 there and 0.001 here" of what is not the same, "none" where one of them has no such
/// thing, in a line's share; empty where nothing differs. What kernels say counts where both have it.
[[nodiscard]] std::string differences(const Configuration& there, const Configuration& here);

}  // namespace minimod
