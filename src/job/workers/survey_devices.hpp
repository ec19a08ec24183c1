/// The devices that run a survey's shots, looked at before a worker is started or a file written.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/configuration.hpp"
#include "src/job/shot/memory_check.hpp"
#include "src/job/workers/worker_pool.hpp"

namespace minimod {

/// A worker for each GPU of the options, or for as many of them as a shot has ranks; or --workers of them on
/// the CPU. Errors: 64 workers that do not fit the device, 69 GPUs that are not there.
[[nodiscard]] std::vector<WorkerSpec> workers_of(const ShotOptions& options);

/// A worker for each `ranks` of these GPUs, in their order, which `name` asks for; of GPUs that may be shared
/// as many as give each of them work, the last one with some from the beginning. Errors: 69 fewer GPUs than
/// ranks, 64 no multiple of them.
[[nodiscard]] std::vector<WorkerSpec> workers_on(const std::vector<int>& gpus, int ranks, bool share_gpu,
                                                 const char* name = "ranks-per-shot");

/// Device of a run by a worker's name ("cpu:0", "cuda:1", "cuda:2,3").
[[nodiscard]] DeviceOption device_option(const std::string& worker);

/// Looks at what a worker of a device takes there beside a run of its shots of the problem, of which a rank's
/// part is looked at. Throws where it is not there.
using DeviceCheck =
    std::function<void(const Problem& problem, const DeviceChoice& choice, const ShotsAtOnce& at_once)>;

/// Checks that each of the devices holds what `workers` at `shots` of the survey, whose problem is cut among
/// the ranks of a shot, take at once, and the host what all of them take; of `auto`, the kernels that take
/// least; and what `more` says. Takes no memory for it. Adds to `configuration` what the kernels say. Errors:
/// those of choose_smallest, check_memory and `more`.
void check_devices(const SurveyPlan& survey, const Problem& cut, const ShotOptions& options,
                   const std::vector<WorkerSpec>& workers, std::size_t shots, Configuration& configuration,
                   const DeviceCheck& more = {});

}  // namespace minimod
