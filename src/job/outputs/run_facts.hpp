/// What is said of a run on stdout and stderr: its facts before it, its figures behind it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/job/shot/modeled_shot.hpp"

namespace minimod {

/// The plan, the device, the kernels and the memory, a line each.
void print_facts(const RunPlan& plan, const DeviceChoice& choice, std::size_t bytes_needed);
/// What is known of a layer that is not stable.
void print_growth(const RunPlan& plan);
/// Says for how long the host plays the shape's threads, where it does and for long.
void announce_played(const RunPlan& plan, const DeviceChoice& choice);
/// What was interrupted goes on behind this step; nothing where it begins.
void print_goes_on(std::optional<int> step);
/// Who has which planes, and how halos go between them, where the domain is cut.
void print_ranks(const RunPlan& plan, std::optional<Transport> transport);
/// What it costs that the inner kernel reads (V Δt)² in 16 bits, where it does.
void print_velocity_error(const std::optional<VelocityCode>& code);
void print_result(const RunPlan& plan, const DeviceChoice& choice, const RunResult& result);

}  // namespace minimod
