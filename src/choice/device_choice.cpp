#include "src/choice/device_choice.hpp"

#include <sstream>

#include "kernels/registry.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/choice/kernel_trial.hpp"
#include "src/solver/schedule_names.hpp"

namespace minimod {

namespace {

constexpr const char* automatic = "auto";
constexpr const char* portable = "kokkos";
/// What `auto` tries on a GPU, as far as it runs there: the fastest sets on the GPUs that were measured
/// (perf/README.md), and some for GPUs with less shared memory. The first takes over where no memory is left
/// to try.
struct Candidate {
  const char *inner, *pml;
  Schedule schedule;
};
constexpr Candidate candidates[] = {
    {"tma_ring_128x32", "tma_ring_128x32", Schedule::sequence},
    {"tma_ring_64x64", "tma_ring_64x64", Schedule::sequence},
    {"tma_two_steps_64x32", "tma_two_steps_64x32", Schedule::two_steps},
    {"tma_ring_128x32", "st_window_64x16x32", Schedule::beside},
    {"tma_ring_128x32", "st_window_32x32x32", Schedule::beside},
    {"st_window_32x32x64", "st_window_32x32x64", Schedule::sequence},
    {"st_window_32x32x64", "st_window_32x32x32", Schedule::beside},
    {"st_reg_shft_db_32x16", "gmem_16x16x4", Schedule::sequence},
    {"gmem_column_32x8x8", "gmem_16x16x4", Schedule::sequence},
    {"gmem_32x32x1", "gmem_16x16x4", Schedule::sequence},
};

using Kind = DeviceOption::Kind;

/// Of the inner box and of the PML.
std::vector<std::string> kernel_names(const KernelOptions& options) {
  return {options.kernel, options.pml_kernel.empty() ? options.kernel : options.pml_kernel};
}

/// A GPU when there is one, unless a named kernel is for the host alone.
bool takes_gpu(const KernelOptions& options, const std::vector<std::string>& names) {
  if (options.device.kind == Kind::cpu || options.emulate) return false;
  if (options.device.kind == Kind::cuda) return true;
  if (find_cuda_devices().count == 0) return false;
  for (const std::string& name : names) {
    if (name == automatic) continue;
    const CodeShape& shape = find_shape(name);
    if (shape.device.inner == nullptr && shape.host.inner != nullptr) return false;
  }
  return true;
}

const CodeShape& gpu_shape(const std::string& name, const DeviceInfo& device) {
  const CodeShape& shape = find_shape(name);
  if (const std::string reason = why_not(shape, device); !reason.empty()) {
    throw Error(ExitCode::usage,
                text("the kernel ", shape.name, " does not run on ", device.name, ": ", reason),
                "name another (minimod kernels)");
  }
  return shape;
}

/// Both other schedules need the PML's launches, and two steps in one launch nothing else between them.
bool allows(const TrialProblem& problem, Schedule schedule) {
  if (schedule == Schedule::sequence) return true;
  if (problem.decomposition != Decomposition::seven) return false;
  return schedule == Schedule::two_steps ? problem.steps_are_launches()
                                         : problem.boundary.kind == BoundaryKind::pml;
}

/// The sets that `auto` may take here: the user's PML kernel, schedule and decomposition hold for all of
/// them.
std::vector<KernelSet> sets_to_try(const KernelOptions& options, const TrialProblem& problem,
                                   const Backend& backend, const DeviceInfo& device) {
  std::vector<KernelSet> sets;
  const bool own_pml = options.pml_kernel.empty() || options.pml_kernel == automatic;
  for (const Candidate& candidate : candidates) {
    const CodeShape& inner = find_shape(candidate.inner);
    const CodeShape& pml = own_pml ? find_shape(candidate.pml) : gpu_shape(options.pml_kernel, device);
    if (!why_not(inner, device, problem.decomposition).empty()) continue;
    if (!why_not(pml, device, problem.decomposition).empty()) continue;
    const Schedule schedule = options.schedule.value_or(candidate.schedule);
    if (schedule == Schedule::two_steps && backend.launches_of(inner).two_steps == nullptr) continue;
    if (!allows(problem, schedule)) continue;
    sets.push_back({&inner, &pml, schedule});
  }
  if (!sets.empty()) return sets;
  throw Error(ExitCode::usage, text("--kernel auto knows no kernel for these options on ", device.name),
              "leave out --schedule or --pml-kernel, or name a kernel (minimod kernels)");
}

/// All that a trial's outcome depends on.
std::string trial_key(const std::vector<KernelSet>& sets, const DeviceInfo& device,
                      const TrialProblem& problem) {
  std::ostringstream key;
  const Extent3 n = problem.grid.n;
  key << build_info().version << ' ' << build_info().git_hash << ", " << device.name << ", " << n.x << 'x'
      << n.y << 'x' << n.z << ", " << boundary_name(problem.boundary.kind) << ' '
      << problem.boundary.widths.left << (problem.boundary.free_surface ? " under a free surface, " : ", ")
      << decomposition_name(problem.decomposition) << ':';
  for (const KernelSet& set : sets) {
    key << ' ' << set.inner->name << '+' << set.pml->name << '+' << schedule_name(set.schedule);
  }
  return key.str();
}

/// The fastest set by an earlier trial or one now.
void choose_by_trial(const KernelOptions& options, const TrialProblem& problem, DeviceChoice& choice) {
  const auto sets = sets_to_try(options, problem, *choice.backend, choice.device);
  const std::string key = trial_key(sets, choice.device, problem);
  const TrialCache cache = TrialCache::of_user();
  if (const auto before = cache.find(key)) {
    const std::size_t free = choice.backend->free_bytes();
    for (const KernelSet& set : sets) {
      if (Propagator::bytes_needed(problem.grid, problem.boundary, set, problem.decomposition) > free)
        continue;
      if (set.inner->name != before->inner || set.pml->name != before->pml ||
          schedule_name(set.schedule) != before->schedule) {
        continue;
      }
      choice.kernels = set;
      choice.how =
          text("the fastest of ", sets.size(), " in an earlier trial, ", before->gpt_per_s, " Gpt/s");
      return;
    }
  }
  choice.stream_before_trial = choice.backend->measure_stream_rates();
  const TrialWinner winner = try_kernels(*choice.backend, problem, sets);
  choice.kernels = sets[winner.index];
  if (winner.gpt_per_s == 0) return;
  choice.how = text("the fastest of ", sets.size(), " in a trial, ", winner.gpt_per_s, " Gpt/s");
  cache.keep(key, {choice.kernels.inner->name, choice.kernels.pml->name,
                   schedule_name(choice.kernels.schedule), winner.gpt_per_s});
}

const CodeShape& host_shape(const std::string& name, const KernelOptions& options, DeviceChoice& choice) {
  const CodeShape& shape = find_shape(name == automatic ? portable : name);
  const bool needs_gpu = shape.host.inner == nullptr;
  if (needs_gpu && options.emulate) {
    throw Error(ExitCode::usage,
                text("the host cannot play ", shape.name, ", which needs Hopper's copy engine"),
                "leave --emulate out, or name another kernel (minimod kernels)");
  }
  if (!needs_gpu && (!shape.emulated || options.emulate)) return shape;
  const std::string reason = options.device.kind == Kind::cpu ? "--device cpu" : find_cuda_devices().why_none;
  choice.notes.push_back(text(reason, ": ", shape.name, " is replaced by the portable kernel on ",
                              choice.device.units, " threads",
                              needs_gpu ? "" : " (--emulate plays the shape itself)"));
  return find_shape(portable);
}

}  // namespace

std::string why_not(const CodeShape& shape, const DeviceInfo& device, Decomposition decomposition) {
  const bool on_host = device.kind == "cpu";
  const Launches& launches = on_host ? shape.host : shape.device;
  if (!on_host && find_cuda_devices().count == 0) return find_cuda_devices().why_none;
  if (!on_host && !shape.only_capability.empty() && shape.only_capability != device.compute_capability) {
    return text("needs compute capability ", shape.only_capability);
  }
  if (!on_host && shape.shared_bytes > device.shared_bytes_limit) {
    return text("needs ", shape.shared_bytes, " B of shared memory");
  }
  if (launches.inner == nullptr) {
    if (on_host) return "needs a GPU";
    return shape.only_capability.empty() ? "runs on the CPU only"
                                         : text("no code for ", shape.only_capability, " in this program");
  }
  if (on_host && shape.emulated) return "only with --emulate";
  if (decomposition != Decomposition::seven && launches.mixed == nullptr) {
    return "has no kernel of both formulas";
  }
  return "";
}

KernelSet make_kernel_set(const KernelOptions& options, const TrialProblem& problem, const Backend& backend,
                          const CodeShape& inner, const CodeShape& pml) {
  const bool makes_two = backend.launches_of(inner).two_steps != nullptr;
  if (problem.decomposition != Decomposition::seven && backend.launches_of(pml).mixed == nullptr) {
    throw Error(ExitCode::usage,
                text("the kernel ", pml.name, " has no kernel of both formulas for --decomposition ",
                     decomposition_name(problem.decomposition)),
                "take --decomposition seven, or another --pml-kernel");
  }
  const bool in_pairs = makes_two && allows(problem, Schedule::two_steps);
  const KernelSet set{&inner, &pml,
                      options.schedule.value_or(in_pairs ? Schedule::two_steps : Schedule::sequence)};
  if (!allows(problem, set.schedule)) {
    throw Error(
        ExitCode::usage,
        text("--schedule ", schedule_name(set.schedule), " is given with --decomposition ",
             decomposition_name(problem.decomposition), ", --boundary ", boundary_name(problem.boundary.kind),
             problem.boundary.free_surface ? ", --free-surface" : "",
             problem.between_nodes ? ", positions between nodes" : ""),
        set.schedule == Schedule::beside ? "it needs the decomposition seven and the boundary pml"
                                         : "it needs seven, pml, no free surface and nearest");
  }
  if (set.schedule == Schedule::two_steps && !makes_two) {
    throw Error(ExitCode::usage, text("the kernel ", inner.name, " has no launch of two steps here"),
                "take --kernel tma_two_steps on a GPU of compute capability 9.0, or another --schedule");
  }
  return set;
}

KernelSet first_to_try(const KernelOptions& options, const TrialProblem& problem,
                       const DeviceChoice& choice) {
  if (choice.device.kind == "cpu") return {&find_shape(portable), &find_shape(portable)};
  KernelOptions any = options;
  any.pml_kernel.clear();
  any.schedule.reset();
  return sets_to_try(any, problem, *choice.backend, choice.device).front();
}

void check_kernels(const KernelOptions& options) {
  for (const std::string& name : kernel_names(options)) {
    if (name != automatic) static_cast<void>(find_shape(name));
  }
}

DeviceChoice choose_device(const KernelOptions& options, const TrialProblem& problem) {
  const auto names = kernel_names(options);
  if (options.emulate && options.device.kind == Kind::cuda) {
    throw Error(ExitCode::usage, "--emulate is given with --device cuda", "give one of them");
  }
  DeviceChoice choice;
  const bool gpu = takes_gpu(options, names);
  choice.backend = gpu ? make_cuda_backend(options.device.index) : make_host_backend();
  choice.device = choice.backend->info();
  if (gpu && names[0] == automatic) {
    choose_by_trial(options, problem, choice);
    return choice;
  }
  const CodeShape *inner = nullptr, *pml = nullptr;
  const std::string& pml_name = names[1] == automatic ? names[0] : names[1];
  if (gpu) {
    inner = &gpu_shape(names[0], choice.device);
    pml = &gpu_shape(pml_name, choice.device);
  } else {
    inner = &host_shape(names[0], options, choice);
    pml = pml_name == names[0] ? inner : &host_shape(pml_name, options, choice);
  }
  KernelOptions possible = options;
  if (!gpu && options.schedule.value_or(Schedule::sequence) != Schedule::sequence) {
    choice.notes.push_back(text("--schedule ", schedule_name(*options.schedule),
                                " is for a GPU: the launches follow each other on the host"));
    possible.schedule = Schedule::sequence;
  }
  choice.kernels = make_kernel_set(possible, problem, *choice.backend, *inner, *pml);
  return choice;
}

}  // namespace minimod
