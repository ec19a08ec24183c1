/// Whether a run fits into memory, before any of it is taken.
#pragma once

#include "src/choice/device_choice.hpp"
#include "src/job/plan/survey_plan.hpp"

namespace minimod {

/// Shots in memory at the same time.
struct ShotsAtOnce {
  int on_device = 1;  ///< shots that one device computes
  int on_host = 1;    ///< shots that all devices of the host compute
  int gathers = 1;    ///< traces that each of these has: of a survey one is written while the next computes
};

[[nodiscard]] double gib(std::size_t bytes);

/// Bytes that the device needs for the largest of the shots, snapshots included. Error 71 where device or
/// host has less free than all that is there at once takes: what is needed, what is free, and the largest
/// cube that fits.
std::size_t check_memory(const Problem& problem, const SurveyPlan& shots, const DeviceChoice& choice,
                         const ShotsAtOnce& at_once = {});

}  // namespace minimod
