/// The schedules of a step, by name.
#pragma once

#include "kernels/code_shape.hpp"
#include "src/base/choices.hpp"

namespace minimod {

inline constexpr NamedChoice<Schedule> schedule_names[] = {
    {Schedule::sequence, "sequence"}, {Schedule::beside, "beside"}, {Schedule::two_steps, "two-steps"}};

[[nodiscard]] inline std::string schedule_name(Schedule schedule) {
  return name_in(schedule_names, schedule);
}

}  // namespace minimod
