#include "src/job/gradient/history/gradient_plan.hpp"

#include <algorithm>

#include "src/base/error.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/files/scratch_file.hpp"
#include "src/base/option.hpp"
#include "src/base/process/host_memory.hpp"
#include "src/job/gradient/adjoint_problem.hpp"
#include "src/job/gradient/history/boundary_plan.hpp"
#include "src/job/shot/memory_check.hpp"
#include "src/solver/fields/memory.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

/// Most of what is free: the system and what else runs keep a part.
constexpr double share_of_free = 0.8;

/// The bytes that a reversal is planned by.
struct ReversalBytes {
  std::size_t drive = 0, state = 0;
  ReversalMemory memory;
};

/// The most that a rank needs, and the least that one has.
ReversalBytes of_all(const ReversalBytes& mine, const DomainCut& cut) {
  ReversalBytes all = mine;
  for (const ReversalBytes& one : cut.gather(mine)) {
    all.drive = std::max(all.drive, one.drive);
    all.state = std::max(all.state, one.state);
    all.memory.drives = std::min(all.memory.drives, one.memory.drives);
    all.memory.states = std::min(all.memory.states, one.memory.states);
  }
  return all;
}

[[noreturn]] void refuse_memory(const Problem& problem, int at_once, std::size_t needed, std::size_t free,
                                const std::string& device) {
  const bool is_cut = !problem.cut.slabs.empty();
  throw Error(ErrorKind::resource,
              text(at_once == 1 ? text("a ", is_cut ? "slab" : "shot", " and its transpose need ")
                                : text(at_once, is_cut ? " slabs" : " shots", " and their transposes need "),
                   gib(needed), " GiB, ", gib(free), " GiB are free on ", device),
              is_cut         ? "take more ranks, on other devices, or a smaller " + option("grid")
              : at_once == 1 ? "take a smaller " + option("grid")
                             : "take fewer " + option("workers"));
}

}  // namespace

ReversalMemory memory_for(Backend& backend, const HistoryOptions& history, int parts, std::size_t beside) {
  const bool is_on_host = !backend.info().is_gpu(), is_on_disk = !history.states_on.empty();
  const auto share = [&](std::size_t bytes, std::size_t taken, int shots) {
    const auto left = static_cast<double>(bytes - std::min(bytes, taken));
    return static_cast<std::size_t>(share_of_free * left / shots);
  };
  const auto limited = [&](std::size_t ours) {
    return history.memory ? std::min(*history.memory / parts, ours) : ours;
  };
  const std::size_t host =
      limited(share(available_host_memory(), is_on_host ? beside : 0, history.shots_at_once));
  const std::size_t drives =
      is_on_host ? host : limited(share(backend.free_bytes(), beside, history.on_device));
  if (is_on_disk) return {drives, share(room_in(history.states_on), 0, history.shots_at_once), false};
  return {drives, host, is_on_host};
}

Grid grid_of_drives(const Problem& problem, const KernelSet& kernels) {
  return problem.part().with_ghosts(kernels.schedule->ghosts()).grid;
}

KernelSet kernels_of_shot(const Problem& problem, const DeviceChoice& choice, const HistoryOptions& history) {
  return history.goes_back() ? kernels_of_adjoint(problem, choice) : choice.kernels;
}

Reversal reversal_of(const Problem& problem, const KernelSet& kernels, Backend& backend, std::size_t state,
                     const HistoryOptions& history, std::size_t beside) {
  if (history.goes_back()) return {history.every, 0, 0, true, 2 * problem.time.steps, {}};
  const Grid grid = grid_of_drives(problem, kernels);
  const std::size_t drive = backend.granted_bytes(grid.n.points() * bytes_of(grid.precision));
  const int parts = std::max(1, static_cast<int>(problem.cut.slabs.size()));
  const ReversalBytes bytes =
      of_all({drive, state, memory_for(backend, history, parts, beside)}, problem.cut);
  return plan_reversal(problem.time.steps, history.every, bytes.drive, bytes.state, bytes.memory);
}

std::size_t bytes_of_sums(const Problem& problem, const Backend& backend) {
  const auto bytes_of_sum = [&](std::size_t value) {
    return backend.granted_bytes(problem.part().grid.n.points() * value);
  };
  return bytes_of_sum(sizeof(double)) + 2 * bytes_of_sum(bytes_of(problem.grid().precision));
}

std::size_t bytes_of_state(const Propagator& propagator) {
  std::size_t state = 0;
  for (const FieldPart& part : propagator.state(propagator.may_be_ahead())) state += part.bytes();
  return state;
}

int steps_by_nyquist(double max_frequency, double dt) {
  return std::max(1, static_cast<int>(1 / (3 * max_frequency * dt)));
}

void check_folder(const HistoryOptions& history, std::size_t bytes) {
  if (history.states_on.empty()) return;
  const ScratchFile probe(history.states_on, 0);
  check_room(std::filesystem::path(history.states_on) / "states",
             static_cast<std::uint64_t>(history.shots_at_once) * bytes,
             text("make room, or leave out ", option("states-on")));
}

void check_gradient_memory(const Problem& problem, const SurveyPlan& shots, const DeviceChoice& choice,
                           const HistoryOptions& history, int at_once) {
  const Problem shot = with_drives(problem), adjoint = adjoint_problem(shot);
  Backend& backend = *choice.backend;
  const ShotSize& largest = shots.largest;
  ShotSize fed;  // by the receivers
  fed.source_nodes = largest.receivers * place_of_receiver(problem, shots.first, 0).count.points();
  fed.source_samples = largest.receivers * static_cast<std::size_t>(problem.time.steps);
  const KernelSet kernels = kernels_of_shot(shot, choice, history);
  const std::size_t needed =
      at_once * (bytes_needed(backend, shot.part(), kernels, largest) +
                 bytes_needed(backend, adjoint.part(), kernels_of_adjoint(adjoint, choice), fed) +
                 bytes_of_sums(problem, backend));
  const std::size_t free = backend.free_bytes();
  if (needed > free) refuse_memory(problem, at_once, needed, free, choice.device.name);
  if (history.goes_back()) {
    const BoundaryPlan plan = plan_boundary(shot, backend, history, needed);
    return check_folder(history, plan.place == RecordPlace::disk ? plan.total() : 0);
  }
  const Schedule& schedule = *kernels.schedule;
  const std::size_t state = state_bytes(shot.part().with_ghosts(schedule.ghosts()), schedule);
  check_folder(history, state);
  static_cast<void>(reversal_of(shot, kernels, backend, state, history, needed));
}

}  // namespace minimod
