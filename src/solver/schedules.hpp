/// The table of the schedules. All give the same field, to the bit, but for `whole` and `whole-step` with
/// kernels of a GPU, whose sums have another order.
#pragma once

#include <string>
#include <vector>

namespace minimod {

class Schedule;

[[nodiscard]] const Schedule& sequence();    ///< one launch after the other
[[nodiscard]] const Schedule& beside();      ///< the PML regions beside each other and beside the inner box
[[nodiscard]] const Schedule& whole_step();  ///< the whole domain in a launch a step
[[nodiscard]] const Schedule& whole();       ///< the whole domain in launches of two steps

/// The plain one first.
[[nodiscard]] const std::vector<const Schedule*>& all_schedules();

/// By the name that --schedule takes; null for none.
[[nodiscard]] const Schedule* find_schedule(const std::string& name);

}  // namespace minimod
