#include "src/job/workers/survey_devices.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/process/threads.hpp"

namespace minimod {

namespace {

using Kind = DeviceOption::Kind;

/// All of them, those that are named, or the first ones, as many as a shot has ranks.
std::vector<int> gpus_of(const DeviceOption& device, int ranks) {
  const int count = gpu_devices.find().count;
  if (count == 0) static_cast<void>(gpu_devices.make(0));  // says why there is none, and what helps
  const bool first_ones = device.others.empty() && device.index == 0;
  std::vector<int> gpus = device.others;
  gpus.insert(gpus.begin(), device.index);
  if (device.all || first_ones) {
    gpus.resize(device.all ? count : std::min(ranks, count));
    std::iota(gpus.begin(), gpus.end(), 0);
  }
  if (std::ranges::max(gpus) >= count) {
    throw Error(ErrorKind::unavailable,
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
    if (device.kind == Kind::gpu) gpu_devices.leave(device.index);
  }
};

/// One a rank, or none.
std::vector<int> gpus_of_worker(const WorkerSpec& worker) {
  const DeviceOption device = device_option(worker.device);
  if (device.kind == Kind::cpu) return {};
  std::vector<int> gpus = device.others;
  gpus.insert(gpus.begin(), device.index);
  return gpus;
}

/// For each of the worker's ranks.
void check_worker(const SurveyPlan& survey, Problem problem, const ShotOptions& options,
                  const WorkerSpec& worker, const std::vector<int>& all_gpus, ShotsAtOnce at_once,
                  Configuration& configuration, const DeviceCheck& more) {
  const std::vector<int> gpus = gpus_of_worker(worker);
  KernelOptions kernels = options.kernels;
  int& rank = problem.cut.looked_at;
  for (rank = 0; rank < options.work.ranks(); ++rank) {
    DeviceOption device{Kind::cpu};
    if (!gpus.empty()) {
      device = {Kind::gpu, gpus[rank]};
      at_once.on_device = static_cast<int>(std::ranges::count(all_gpus, device.index));
    }
    const LookAtGpu look(device);
    kernels.device = device;
    const DeviceChoice choice = choose_smallest(kernels, problem.part(), survey.largest);
    check_memory(problem, survey, choice, at_once);
    if (more) more(problem, choice, at_once);
    add_kernels_of_survey(configuration, choice);
  }
}

}  // namespace

std::vector<WorkerSpec> workers_on(const std::vector<int>& gpus, int ranks, bool share_gpu,
                                   const char* name) {
  const int count = static_cast<int>(gpus.size());
  if (!share_gpu && ranks > count) {
    throw Error(ErrorKind::unavailable,
                text(option(name), " is ", ranks, ", of GPUs, one a rank, there are ", count),
                text("take fewer, other GPUs with ", option("device"), ", or ", option("share-gpu")));
  }
  if (!share_gpu && count % ranks != 0) {
    throw Error(ErrorKind::parameter,
                text(option(name), " is ", ranks, ", the ", count, " GPUs are no multiple of it"),
                text("name as many with ", option("device"), ' ', several_gpus_text(), ", or give ",
                     option("share-gpu")));
  }
  std::vector<WorkerSpec> specs;
  for (int first = 0; first < count; first += ranks) {
    std::vector<int> of_ranks(ranks);
    for (int rank = 0; rank < ranks; ++rank) of_ranks[rank] = gpus[(first + rank) % count];
    specs.push_back({gpus_text(of_ranks), 0});
  }
  return specs;
}

std::vector<WorkerSpec> workers_of(const ShotOptions& options) {
  const int ranks = options.work.ranks();
  if (!options.kernels.emulate && goes_to_gpu(options.kernels.device)) {
    if (options.work.workers) {
      throw Error(ErrorKind::parameter,
                  option("workers") + " is given with GPUs, which say how many there are",
                  text("name the GPUs with ", option("device"), ' ', several_gpus_text()));
    }
    return workers_on(gpus_of(options.kernels.device, ranks), ranks, options.ranks.share_gpu,
                      options.acquisition.sources.empty() ? "ranks" : "ranks-per-shot");
  }
  const int cores = available_threads(), workers = options.work.workers.value_or(1);
  if (workers > cores) {
    throw Error(ErrorKind::parameter,
                text(option("workers"), " is ", workers, ", there are ", cores, " cores"), "take fewer");
  }
  std::vector<WorkerSpec> specs;
  const int threads = workers == 1 ? 0 : std::max(1, cores / (workers * ranks));
  specs.reserve(workers);
  for (int i = 0; i < workers; ++i) specs.push_back({text(cpu_kind, ':', i), threads});
  return specs;
}

DeviceOption device_option(const std::string& worker) {
  if (worker.starts_with(cpu_kind)) return {Kind::cpu};
  return parse_device(worker, true);  // ranks may share a GPU
}

void check_devices(const SurveyPlan& survey, const Problem& cut, const ShotOptions& options,
                   const std::vector<WorkerSpec>& workers, std::size_t shots, Configuration& configuration,
                   const DeviceCheck& more) {
  const int ranks = options.work.ranks(), at_work = static_cast<int>(std::min(workers.size(), shots));
  std::vector<int> gpus;
  for (const WorkerSpec& worker : workers)
    std::ranges::copy(gpus_of_worker(worker), std::back_inserter(gpus));
  const ShotsAtOnce at_once{at_work * ranks, at_work * ranks, shots > 1 ? 2 : 1};
  for (const WorkerSpec& worker : workers) {
    try {
      check_worker(survey, cut, options, worker, gpus, at_once, configuration, more);
    } catch (const Error& refusal) {
      if (gpus.empty() || workers.size() == 1) throw;
      throw Error(refusal.kind(), text(worker.device, ": ", refusal.what()), "");
    }
    if (gpus.empty()) return;  // all have the same CPU
  }
}

}  // namespace minimod
