#include "src/survey/survey_devices.hpp"

#include <algorithm>
#include <cstdio>

#include "src/base/error.hpp"
#include "src/base/threads.hpp"
#include "src/shot/memory_check.hpp"

namespace minimod {

namespace {

using Kind = DeviceOption::Kind;

bool takes_gpus(const KernelOptions& options) {
  if (options.device.kind == Kind::cpu || options.emulate) return false;
  return options.device.kind == Kind::cuda || find_cuda_devices().count > 0;
}

std::vector<int> gpus_of(const DeviceOption& device) {
  const int count = find_cuda_devices().count;
  if (count == 0) static_cast<void>(make_cuda_backend(0));  // which says why there is none, and what helps
  std::vector<int> gpus;
  if (device.all) {
    for (int i = 0; i < count; ++i) gpus.push_back(i);
  } else {
    gpus = device.others;
    gpus.insert(gpus.begin(), device.index);
  }
  if (std::ranges::max(gpus) >= count) {
    throw Error(ExitCode::unavailable,
                text("GPU ", std::ranges::max(gpus), " is asked for, there are ", count),
                text("number them from 0 to ", count - 1));
  }
  return gpus;
}

/// The process that looks at a GPU must not keep any of its memory from the worker.
struct LookAtGpu {
  DeviceOption device;
  explicit LookAtGpu(const DeviceOption& at) : device(at) {}
  LookAtGpu(const LookAtGpu&) = delete;
  LookAtGpu& operator=(const LookAtGpu&) = delete;
  ~LookAtGpu() {
    if (device.kind == Kind::cuda) leave_cuda_device(device.index);
  }
};

void check_device(const SurveyPlan& survey, KernelOptions options, const std::string& worker,
                  const ShotsAtOnce& at_once, Configuration& configuration) {
  options.device = device_option(worker);
  const LookAtGpu look(options.device);
  const DeviceChoice choice = choose_smallest(options, survey.shared.problem(), survey.largest);
  check_memory(survey.shared, choice, survey.largest, at_once);
  add_kernels_of_survey(configuration, choice);
}

}  // namespace

std::vector<WorkerSpec> workers_of(const ShotOptions& options) {
  std::vector<WorkerSpec> specs;
  if (takes_gpus(options.kernels)) {
    if (options.work.workers) {
      throw Error(ExitCode::usage, "--workers is given with GPUs, each of which has one worker",
                  "name the GPUs with --device cuda:0,1 or cuda:all");
    }
    for (const int gpu : gpus_of(options.kernels.device)) specs.push_back({text("cuda:", gpu), 0});
    return specs;
  }
  const int cores = available_threads(), workers = options.work.workers.value_or(1);
  if (workers > cores) {
    throw Error(ExitCode::usage, text("--workers is ", workers, ", there are ", cores, " cores"),
                "take fewer");
  }
  for (int i = 0; i < workers; ++i) specs.push_back({text("cpu:", i), workers == 1 ? 0 : cores / workers});
  return specs;
}

DeviceOption device_option(const std::string& worker) {
  int index = 0;
  if (std::sscanf(worker.c_str(), "cuda:%d", &index) == 1) return {Kind::cuda, index};
  return {Kind::cpu};
}

void check_devices(const SurveyPlan& survey, const KernelOptions& options,
                   const std::vector<WorkerSpec>& workers, std::size_t shots, Configuration& configuration) {
  const int at_work = static_cast<int>(std::min(workers.size(), shots));
  const bool on_cpu = device_option(workers.front().device).kind == Kind::cpu;
  const ShotsAtOnce at_once{on_cpu ? at_work : 1, at_work, shots > 1 ? 2 : 1};
  if (on_cpu) return check_device(survey, options, workers.front().device, at_once, configuration);
  for (const WorkerSpec& worker : workers) {
    try {
      check_device(survey, options, worker.device, at_once, configuration);
    } catch (const Error& refusal) {
      if (workers.size() == 1) throw;
      throw Error(refusal.code(), text(worker.device, ": ", refusal.what()), "");
    }
  }
}

}  // namespace minimod
