/// Words on a run or a survey on stdout and stderr: its facts before it, its figures behind it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/modeled_shot.hpp"

namespace minimod {

/// A line of the facts.
void print_fact(const char* name, const std::string& value);

/// "2 s", or "-0.2 to 1.8 s" where the run begins before t = 0.
[[nodiscard]] std::string time_span_fact(const TimeAxis& time);

/// "order 8", or "order 8 by minimax weights".
[[nodiscard]] std::string difference_fact(Difference difference);

/// "time dispersion corrected in wavelet and traces".
[[nodiscard]] std::string dispersion_fact(const TimeAxis& time);

/// The program and the plan, a line each.
void print_plan(const SurveyPlan& run);
/// And the device, the kernels and the memory.
void print_facts(const SurveyPlan& run, const DeviceChoice& choice, std::size_t bytes_needed);
/// Tells what is known of a layer that is not stable.
void print_growth(const RunPlan& plan);
/// Says for how long the host emulates the shape's threads, where it does and for long.
void announce_emulated(const Problem& problem, const DeviceChoice& choice);
/// Tells that an interrupted run goes on behind this step; nothing where it begins.
void print_goes_on(std::optional<int> step);
/// Who has which planes, and how halos go between them, where the domain is cut.
void print_ranks(const DomainCut& cut, std::optional<Transport> transport);
/// Tells the error of an inner kernel that reads (V Δt)² in 16 bits.
void print_velocity_error(const std::optional<VelocityCode>& code);
void print_result(const DeviceChoice& choice, const RunResult& result, int steps);

}  // namespace minimod
