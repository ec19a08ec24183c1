#include "src/choice/device_choice.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <sstream>

#include "kernels/equation_names.hpp"
#include "kernels/registry.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/precision_names.hpp"
#include "src/choice/candidates.hpp"
#include "src/choice/kernel_trial.hpp"
#include "src/choice/tuned_tiles.hpp"

namespace minimod {

namespace {

constexpr const char* automatic = "auto";
constexpr const char* portable = "kokkos";
using Kind = DeviceOption::Kind;

/// Names of the kernels of the inner box and of the PML.
std::vector<std::string> kernel_names(const KernelOptions& options) {
  return {options.kernel, options.pml_kernel.empty() ? options.kernel : options.pml_kernel};
}

/// A GPU when there is one, unless a named kernel is for the host alone.
bool takes_gpu(const KernelOptions& options, const std::vector<std::string>& names) {
  if (options.emulate || !goes_to_gpu(options.device)) return false;
  if (options.device.kind == Kind::gpu) return true;
  for (const std::string& name : names) {
    if (name == automatic) continue;
    const CodeShape& shape = find_shape(name, options.radius(), options.precision, options.equation);
    if (!shape.device.inner && shape.host.inner) return false;
  }
  return true;
}

const CodeShape& gpu_shape(const std::string& name, int radius, Precision precision, Equation equation,
                           const DeviceInfo& device) {
  const CodeShape& shape = find_shape(name, radius, precision, equation);
  if (const std::string reason = why_not(shape, device); !reason.empty()) {
    throw Error(ErrorKind::parameter,
                text("the kernel ", shape.name, " does not run on ", device.name, ": ", reason),
                text("name another (", command("kernels"), ")"));
  }
  return shape;
}

/// Error 64 where the cuts of a domain are too near each other or its layers for the ghosts of a schedule.
void require_room(const Schedule& schedule, const StepProblem& problem) {
  if (schedule.has_room(problem)) return;
  throw Error(ErrorKind::parameter,
              text(option("schedule"), " ", schedule.name(), " computes ", schedule.ghosts(),
                   " planes beyond each cut, the slabs leave room for ", problem.room_for_ghosts),
              text("take slabs of ", schedule.ghosts() + problem.grid.radius, " planes or more, cut ",
                   schedule.ghosts() + 1, " or more off the layers along z"));
}

/// The kernels that a schedule cannot have, and why; empty where it can have all.
std::string why_none_with(const Schedule& schedule, const Backend& backend,
                          std::initializer_list<const CodeShape*> kernels) {
  for (const CodeShape* kernel : kernels) {
    if (const std::string why = schedule.why_not(backend.planners_of(*kernel)); !why.empty())
      return text("the kernel ", kernel->name, ' ', why);
  }
  return "";
}

/// The sets that `auto` may take here: the user's PML kernel, schedule and decomposition hold for all of
/// them.
std::vector<KernelSet> sets_to_try(const KernelOptions& options, const StepProblem& problem,
                                   const Backend& backend, const DeviceInfo& device) {
  if (options.schedule != nullptr) require_room(*options.schedule, problem);
  std::vector<KernelSet> sets;
  const bool own_pml = options.pml_kernel.empty() || options.pml_kernel == automatic;
  const int radius = problem.grid.radius;
  const Precision precision = problem.grid.precision;
  const Equation equation = problem.equation;
  const auto tuned = equation == Equation::wave
                         ? TunedTiles::of_user().fastest(device.name, 2 * radius, precision)
                         : std::vector<std::string>();
  for (const Candidate& candidate : candidates_with(tuned)) {
    if (!has_stencil(candidate.inner, radius, precision, equation)) continue;
    if (own_pml && !has_stencil(candidate.pml, radius, precision, equation)) continue;
    const CodeShape& inner = find_shape(candidate.inner, radius, precision, equation);
    const CodeShape& pml = own_pml ? find_shape(candidate.pml, radius, precision, equation)
                                   : gpu_shape(options.pml_kernel, radius, precision, equation, device);
    if (!why_not(inner, device, problem.decomposition).empty()) continue;
    if (!why_not(pml, device, problem.decomposition).empty()) continue;
    const Schedule& schedule = options.schedule != nullptr ? *options.schedule : *candidate.schedule;
    if (!why_none_with(schedule, backend, {&inner, &pml}).empty() || !schedule.takes(problem)) continue;
    sets.push_back({&inner, &pml, &schedule});
  }
  if (!sets.empty()) return sets;
  throw Error(ErrorKind::parameter,
              text(option("kernel"), " auto knows no kernel for these options on ", device.name),
              text("leave out ", option("schedule"), " or ", option("pml-kernel"), ", or name a kernel (",
                   command("kernels"), ")"));
}

bool differ_in_sums(const std::vector<KernelSet>& sets) {
  return std::ranges::any_of(sets, [&](const KernelSet& set) {
    const KernelSet& first = sets[0];
    return set.schedule->sums(*set.inner) != first.schedule->sums(*first.inner) ||
           set.schedule->sums(*set.pml) != first.schedule->sums(*first.pml);
  });
}

/// All that a trial's outcome depends on.
std::string trial_key(const std::vector<KernelSet>& sets, const DeviceInfo& device,
                      const StepProblem& problem) {
  std::ostringstream key;
  const Extent3 n = problem.grid.n;
  key << build_info().version << ' ' << build_info().git_hash << ", " << device.name << ", " << n.x << 'x'
      << n.y << 'x' << n.z << " of order " << 2 * problem.grid.radius << " in "
      << precision_name(problem.grid.precision)
      << (problem.equation == Equation::wave ? "" : " of " + equation_name(problem.equation))
      << (problem.boundary.is_cut() ? " of a cut domain, " : ", ") << boundary_name(problem.boundary.kind)
      << ' ' << problem.boundary.widths.left
      << (problem.boundary.free_surface ? " under a free surface, " : ", ")
      << decomposition_name(problem.decomposition) << ':';
  for (const KernelSet& set : sets) {
    key << ' ' << set.inner->name << '+' << set.pml->name << '+' << set.schedule->name();
  }
  return key.str();
}

/// The fastest set by an earlier trial or one now.
void choose_by_trial(const KernelOptions& options, const StepProblem& problem, const ShotSize& shot,
                     DeviceChoice& choice) {
  const auto sets = sets_to_try(options, problem, *choice.backend, choice.device);
  choice.is_among_others = differ_in_sums(sets);
  const std::string key = trial_key(sets, choice.device, problem);
  const TrialCache cache = TrialCache::of_user();
  if (const auto before = cache.find(key)) {
    const std::size_t free = choice.backend->free_bytes();
    for (const KernelSet& set : sets) {
      if (set.inner->name != before->inner || set.pml->name != before->pml ||
          set.schedule->name() != before->schedule) {
        continue;
      }
      if (bytes_needed(*choice.backend, problem, set, shot) > free) continue;
      choice.kernels = set;
      choice.trial = {sets.size(), *before, true};
      return;
    }
  }
  choice.stream_before_trial = choice.backend->measure_stream_rates(Thoroughness::of_figures);
  const TrialWinner winner = try_kernels(*choice.backend, problem, sets, shot);
  choice.kernels = sets[winner.index];
  if (winner.gpt_per_s == 0) return;
  choice.trial = {sets.size(),
                  {choice.kernels.inner->name, choice.kernels.pml->name, choice.kernels.schedule->name(),
                   winner.gpt_per_s, winner.trial_seconds}};
  cache.keep(key, choice.trial->result);
}

void choose_least(const KernelOptions& options, const StepProblem& problem, const ShotSize& shot,
                  DeviceChoice& choice) {
  const auto sets = sets_to_try(options, problem, *choice.backend, choice.device);
  choice.is_among_others = differ_in_sums(sets);
  const auto bytes = [&](const KernelSet& set) {
    try {
      return bytes_needed(*choice.backend, problem, set, shot);
    } catch (const Error& refusal) {  // some shapes refuse this grid
      if (refusal.kind() != ErrorKind::resource) throw;
      return std::numeric_limits<std::size_t>::max();
    }
  };
  choice.kernels = *std::ranges::min_element(sets, {}, bytes);
}

const CodeShape& host_shape(const std::string& name, const KernelOptions& options, DeviceChoice& choice) {
  const CodeShape& shape =
      find_shape(name == automatic ? portable : name, options.radius(), options.precision, options.equation);
  const bool needs_gpu = !shape.host.inner;
  if (needs_gpu && options.emulate) {
    throw Error(ErrorKind::parameter,
                text("the host cannot emulate ", shape.name, ", which needs Hopper's copy engine"),
                text("leave ", option("emulate"), " out, or name another kernel (", command("kernels"), ")"));
  }
  if (!needs_gpu && (!shape.emulated || options.emulate)) return shape;
  const std::string reason =
      options.device.kind == Kind::cpu ? option("device") + " cpu" : gpu_devices.find().why_none;
  choice.notes.push_back(text(reason, ": ", shape.name, " is replaced by the portable kernel on ",
                              choice.device.units, " threads",
                              needs_gpu ? "" : text(" (", option("emulate"), " emulates the shape itself)")));
  return find_shape(portable, options.radius(), options.precision, options.equation);
}

/// `choose_automatic` has the kernels of a GPU where none are named.
DeviceChoice choose(const KernelOptions& options, const StepProblem& problem,
                    const std::function<void(DeviceChoice&)>& choose_automatic) {
  const auto names = kernel_names(options);
  if (options.emulate && options.device.kind == Kind::gpu) {
    throw Error(ErrorKind::parameter,
                text(option("emulate"), " is given with ", option("device"), " ", gpu_kind),
                "give one of them");
  }
  DeviceChoice choice;
  const bool gpu = takes_gpu(options, names);
  if (gpu && options.device.names_several()) {
    throw Error(ErrorKind::parameter, option("device") + " names several GPUs, a single shot runs on one",
                text("name one, or give a survey with ", option("sources")));
  }
  choice.backend = gpu ? gpu_devices.make(options.device.index) : make_host_backend();
  choice.device = choice.backend->info();
  if (gpu && names[0] == automatic) {
    choose_automatic(choice);
    return choice;
  }
  const CodeShape *inner = nullptr, *pml = nullptr;
  const std::string& pml_name = names[1] == automatic ? names[0] : names[1];
  if (gpu) {
    inner = &gpu_shape(names[0], options.radius(), options.precision, options.equation, choice.device);
    pml = &gpu_shape(pml_name, options.radius(), options.precision, options.equation, choice.device);
  } else {
    inner = &host_shape(names[0], options, choice);
    pml = pml_name == names[0] ? inner : &host_shape(pml_name, options, choice);
  }
  KernelOptions possible = options;
  if (!gpu && options.schedule != nullptr && options.schedule->is_for_gpus() &&
      !options.schedule->is_made_for(inner->host)) {
    choice.notes.push_back(text(option("schedule"), " ", options.schedule->name(),
                                " is for a GPU: the launches follow each other on the host"));
    possible.schedule = &sequence();
  }
  choice.kernels = make_kernel_set(possible, problem, *choice.backend, *inner, *pml);
  return choice;
}

}  // namespace

std::string why_not(const CodeShape& shape, const DeviceInfo& device, Decomposition decomposition) {
  const bool on_host = !device.is_gpu();
  const LaunchPlanners& planners = on_host ? shape.host : shape.device;
  if (!on_host && gpu_devices.find().count == 0) return gpu_devices.find().why_none;
  const ShapeNeeds& needs = shape.needs;
  if (!on_host && needs.capability && *needs.capability != device.compute_capability) {
    return text("needs compute capability ", needs.capability->text());
  }
  if (!on_host && needs.shared_bytes > device.shared_bytes_limit) {
    return text("needs ", needs.shared_bytes, " B of shared memory");
  }
  if (!planners.inner) {
    if (on_host) return "needs a GPU";
    if (needs.capability) return text("no code for ", needs.capability->text(), " in this program");
    return shape.emulated ? "no code for a GPU in this program" : "runs on the CPU only";
  }
  if (on_host && shape.emulated) return "only with " + option("emulate");
  if (decomposition != Decomposition::seven && !planners.mixed) {
    return "has no kernel of both formulas";
  }
  return "";
}

KernelSet make_kernel_set(const KernelOptions& options, const StepProblem& problem, const Backend& backend,
                          const CodeShape& inner, const CodeShape& pml) {
  if (problem.decomposition != Decomposition::seven && !backend.planners_of(pml).mixed) {
    throw Error(ErrorKind::parameter,
                text("the kernel ", pml.name, " has no kernel of both formulas for ", option("decomposition"),
                     " ", decomposition_name(problem.decomposition)),
                text("take ", option("decomposition"), " seven, or another ", option("pml-kernel")));
  }
  const bool on_host = !backend.info().is_gpu();
  const auto fits = [&](const Schedule* schedule) {
    return schedule->is_made_for(backend.planners_of(inner)) && schedule->takes(problem) &&
           why_none_with(*schedule, backend, {&pml}).empty() && !(on_host && schedule->is_for_gpus());
  };
  const auto made_for_it = std::ranges::find_if(all_schedules(), fits);
  const Schedule* by_itself = made_for_it != all_schedules().end() ? *made_for_it : &sequence();
  const KernelSet set{&inner, &pml, options.schedule != nullptr ? options.schedule : by_itself};
  if (const std::string why = set.schedule->why_not(problem); !why.empty()) {
    throw Error(
        ErrorKind::parameter,
        text(option("schedule"), " ", set.schedule->name(), " is given with ", option("decomposition"), " ",
             decomposition_name(problem.decomposition), ", ", option("boundary"), " ",
             boundary_name(problem.boundary.kind), problem.several_sources ? ", several sources" : ""),
        text("it ", why));
  }
  require_room(*set.schedule, problem);
  if (const std::string why = why_none_with(*set.schedule, backend, {&inner, &pml}); !why.empty()) {
    throw Error(ErrorKind::parameter, text(why, " here"),
                text("take another ", option("schedule"), ", or another ", option("kernel"), " (",
                     command("kernels"), ")"));
  }
  return set;
}

std::optional<IdleFacts> idle_facts(const KernelOptions& options, const StepProblem& problem,
                                    const DeviceChoice& choice) {
  if (!choice.device.is_gpu() || options.kernel == automatic) return std::nullopt;
  return idle_facts(choice.kernels, problem, [&](const KernelSet& kernels) {
    const StepPlan plan(*choice.backend, problem.with_ghosts(kernels.schedule->ghosts()), kernels);
    return launch_loads(plan, choice.device.units);
  });
}

std::vector<const Schedule*> possible_schedules(const KernelOptions& options, const StepProblem& problem) {
  if (options.schedule != nullptr) return {options.schedule};
  const bool gpu = takes_gpu(options, kernel_names(options));
  const auto may_be = [&](const Schedule* schedule) {
    if (!gpu) return !schedule->is_for_gpus();
    if (options.kernel == automatic)
      return std::ranges::count(candidates(), schedule, &Candidate::schedule) > 0;
    const CodeShape& shape =
        find_shape(options.kernel, options.radius(), options.precision, options.equation);
    return schedule == &sequence() || schedule->is_made_for(shape.device);
  };
  std::vector<const Schedule*> possible;
  for (const Schedule* schedule : all_schedules()) {
    if (may_be(schedule) && schedule->takes(problem)) possible.push_back(schedule);
  }
  return possible;
}

KernelSet first_to_try(const KernelOptions& options, const StepProblem& problem, const DeviceChoice& choice) {
  if (!choice.device.is_gpu()) {
    const CodeShape& kernel =
        find_shape(portable, problem.grid.radius, problem.grid.precision, problem.equation);
    return make_kernel_set({}, problem, *choice.backend, kernel, kernel);
  }
  KernelOptions any = options;
  any.pml_kernel.clear();
  any.schedule = nullptr;
  return sets_to_try(any, problem, *choice.backend, choice.device).front();
}

void check_kernels(const KernelOptions& options) {
  bool names_one = false;
  for (const std::string& name : kernel_names(options)) {
    if (name == automatic) continue;
    names_one = true;
    static_cast<void>(find_shape(name, options.radius(), options.precision, options.equation));
  }
  if (options.emulate && !names_one) {
    throw Error(ErrorKind::parameter,
                text(option("emulate"), " is given without ", option("kernel"),
                     ", and auto takes none that is emulated"),
                text("name one (", command("kernels"), "), or leave it out"));
  }
}

DeviceChoice choose_device(const KernelOptions& options, const StepProblem& problem, const ShotSize& shot) {
  return choose(options, problem,
                [&](DeviceChoice& choice) { choose_by_trial(options, problem, shot, choice); });
}

DeviceChoice choose_smallest(const KernelOptions& options, const StepProblem& problem, const ShotSize& shot) {
  return choose(options, problem,
                [&](DeviceChoice& choice) { choose_least(options, problem, shot, choice); });
}

}  // namespace minimod
