#include "src/job/shot/memory_check.hpp"

#include <algorithm>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/process/host_memory.hpp"
#include "src/base/process/threads.hpp"
#include "src/base/saturated.hpp"
#include "src/job/shot/snapshot_recorder.hpp"
#include "src/solver/fields/memory.hpp"
#include "src/solver/source.hpp"

namespace minimod {

namespace {

/// Bytes that a shot takes of the device: of one that is linearised those of the waves in the medium, which
/// have drives, and of those that are scattered, the drive of a step and the change.
std::size_t shot_bytes(const StepProblem& domain, const DeviceChoice& choice, const ShotSize& shot,
                       bool is_linearised) {
  const Backend& backend = *choice.backend;
  const std::size_t one = bytes_needed(backend, domain, choice.kernels, shot);
  if (!is_linearised) return one;
  StepProblem with_drives = domain;
  with_drives.has_drives = true;
  const std::size_t values = domain.grid.n.points() * bytes_of(domain.grid.precision);
  return one + bytes_needed(backend, with_drives, choice.kernels, shot) + 2 * backend.granted_bytes(values);
}

/// The edge of the largest cube with such a layer, source and receivers that fits into `bytes`.
int largest_cube(std::size_t bytes, const Problem& problem, const DeviceChoice& choice, const ShotSize& shot,
                 bool is_linearised) {
  const BoundarySpec& like = problem.domain.boundary;
  int fits = 0;
  for (int step = 1 << 14; step > 0; step /= 2) {
    const int n = fits + step, width = std::min(like.widths.bottom, n / 3);
    const BoundarySpec boundary = make_boundary_spec(like.kind, width, like.free_surface, 0, 0);
    StepProblem cube = problem.part();
    cube.grid = make_grid({n, n, n}, {1, 1, 1}, boundary, problem.grid().radius, problem.grid().precision);
    cube.boundary = boundary;
    try {
      if (shot_bytes(cube, choice, shot, is_linearised) <= bytes) fits = n;
    } catch (const Error&) {  // a kernel does not take that grid
    }
  }
  return fits;
}

/// Bytes that the cores take for the traces that they correct.
std::size_t correction_bytes(const TimeAxis& time) {
  if (time.dispersion == TimeDispersion::as_is) return 0;
  return TraceCorrection::bytes_needed(time.samples(), time.record_every, threads_at_work());
}

std::string who(const Problem& problem, int parts) {
  return parts == 1 ? "the run needs "
                    : text(parts, problem.cut.slabs.empty() ? " shots" : " slabs", " at once need ");
}

[[noreturn]] void refuse_fields(const Problem& problem, const DeviceChoice& choice, const SurveyPlan& plan,
                                int shots, std::size_t needed, std::size_t free, std::size_t beside) {
  const std::size_t fields = needed - beside;
  const int whole = std::max(1, static_cast<int>(problem.cut.slabs.size()));  // parts of one shot
  const int cube = fields > free && free > beside
                       ? largest_cube((free - beside) / static_cast<std::size_t>(shots), problem, choice,
                                      plan.largest, plan.shared.change != nullptr)
                       : 0;
  throw Error(
      ErrorKind::resource,
      text(who(problem, shots), gib(needed), " GiB, ", gib(free), " GiB are free on ", choice.device.name),
      text(shots > whole                ? text("take fewer ", option("workers"), "; ")
           : !problem.cut.slabs.empty() ? "take more ranks, on other devices; "
                                        : "",
           cube > 2 * problem.grid().radius
               ? text("the largest cube that fits is ", option("grid"), " ", cube)
               : "take fewer receivers or a larger " + option("record-dt")));
}

}  // namespace

double gib(std::size_t bytes) {
  return static_cast<double>(bytes) / (std::size_t{1} << 30U);
}

std::size_t check_memory(const Problem& problem, const SurveyPlan& shots, const DeviceChoice& choice,
                         const ShotsAtOnce& at_once) {
  const ShotSize& shot = shots.largest;
  const auto on_host = static_cast<std::size_t>(at_once.on_host);
  const bool shared = !choice.device.is_gpu();  // the fields and the traces have one memory
  const std::size_t on_device = shot_bytes(problem.part(), choice, shot, shots.shared.change != nullptr);
  const std::size_t traces =
      saturated_product({problem.trace_bytes(shot.receivers), std::uint64_t(at_once.gathers), on_host}) +
      correction_bytes(problem.time) * on_host;
  // The samples that sources feed are on the host while they are made, before the traces are.
  const std::size_t fed =
      Sources::host_bytes(shot.source_nodes, shot.source_samples, problem.grid().precision) * on_host;
  const std::size_t free = choice.backend->free_bytes();
  const std::size_t beside = shared ? std::max(traces, fed) : 0;
  const std::size_t needed = on_device * at_once.on_device + beside;
  if (needed > free) refuse_fields(problem, choice, shots, at_once.on_device, needed, free, beside);
  const SnapshotPlan& wanted = shots.shared.snapshots;
  const int kept = snapshots_under_way + (shots.first.scale == 1 ? 0 : 1);
  const std::size_t snapshots = wanted.empty() ? 0 : kept * choice.backend->granted_bytes(wanted.bytes());
  const std::size_t host = available_host_memory(), with_fields = snapshots * at_once.on_device,
                    with_traces = snapshots * on_host;
  if (needed + with_fields > free || (!shared && traces + with_traces > host && traces <= host)) {
    const bool of_fields = needed + with_fields > free;
    throw Error(
        ErrorKind::resource,
        text(who(problem, at_once.on_device), gib(needed), " GiB and snapshots ",
             gib(of_fields ? with_fields : with_traces), " GiB (", of_fields ? with_fields : with_traces,
             " bytes) more, ", gib(of_fields ? free : host - traces), " GiB are free"),
        text("take a larger ", option("snapshot-stride"), " or a smaller ", option("snapshot-box")));
  }
  if (!shared && std::max(traces, fed) > host) {
    throw Error(
        ErrorKind::resource,
        text(traces > fed ? "the traces need " : "the samples of the sources need ",
             gib(std::max(traces, fed)), " GiB, ", gib(host), " GiB are free"),
        traces > fed ? "take fewer receivers or a larger " + option("record-dt") : "inject fewer traces");
  }
  return on_device + snapshots;
}

}  // namespace minimod
