#include "src/job/shot/memory_check.hpp"

#include <algorithm>

#include <Kokkos_Core.hpp>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/process/host_memory.hpp"
#include "src/base/saturated.hpp"
#include "src/job/shot/snapshot_recorder.hpp"
#include "src/solver/fields/memory.hpp"
#include "src/solver/source.hpp"

namespace minimod {

namespace {

/// The edge of the largest cube with such a layer, source and receivers that fits into `bytes`.
int largest_cube(std::size_t bytes, const RunPlan& plan, const DeviceChoice& choice, const ShotSize& shot) {
  const BoundarySpec& like = plan.problem.domain.boundary;
  int fits = 0;
  for (int step = 1 << 14; step > 0; step /= 2) {
    const int n = fits + step, width = std::min(like.widths.bottom, n / 3);
    const BoundarySpec boundary = make_boundary_spec(like.kind, width, like.free_surface, 0, 0);
    StepProblem cube = plan.problem.part();
    cube.grid = make_grid({n, n, n}, {1, 1, 1}, boundary, plan.grid().radius, plan.grid().precision);
    cube.boundary = boundary;
    try {
      if (bytes_needed(*choice.backend, cube, choice.kernels, shot) <= bytes) fits = n;
    } catch (const Error&) {  // a kernel does not take that grid
    }
  }
  return fits;
}

/// What the cores take for the traces that they correct.
std::size_t correction_bytes(const RunPlan& plan) {
  if (plan.dispersion == TimeDispersion::as_is) return 0;
  const int threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  return TraceCorrection::bytes_needed(plan.samples(), plan.record_every, threads);
}

std::string who(const RunPlan& plan, int parts) {
  return parts == 1 ? "the run needs "
                    : text(parts, plan.problem.cut.slabs.empty() ? " shots" : " slabs", " at once need ");
}

[[noreturn]] void refuse_fields(const RunPlan& plan, const DeviceChoice& choice, const ShotSize& shot,
                                int shots, std::size_t needed, std::size_t free, std::size_t beside) {
  const std::size_t fields = needed - beside;
  const int whole = std::max(1, static_cast<int>(plan.problem.cut.slabs.size()));  // parts of one shot
  const int cube = fields > free && free > beside
                       ? largest_cube((free - beside) / static_cast<std::size_t>(shots), plan, choice, shot)
                       : 0;
  throw Error(
      ErrorKind::resource,
      text(who(plan, shots), gib(needed), " GiB, ", gib(free), " GiB are free on ", choice.device.name),
      text(shots > whole                     ? text("take fewer ", option("workers"), "; ")
           : !plan.problem.cut.slabs.empty() ? "take more ranks, on other devices; "
                                             : "",
           cube > 2 * plan.grid().radius ? text("the largest cube that fits is ", option("grid"), " ", cube)
                                         : "take fewer receivers or a larger " + option("record-dt")));
}

}  // namespace

double gib(std::size_t bytes) {
  return static_cast<double>(bytes) / (std::size_t{1} << 30U);
}

std::size_t check_memory(const RunPlan& plan, const DeviceChoice& choice, const ShotSize& shot,
                         const ShotsAtOnce& at_once) {
  const bool shared = !choice.device.is_gpu();  // the fields and the traces have one memory
  const std::size_t on_device = bytes_needed(*choice.backend, plan.problem.part(), choice.kernels, shot);
  const std::size_t of_shots =
      saturated_product({shot.receivers, std::uint64_t(plan.samples()), bytes_of(plan.grid().precision),
                         std::uint64_t(at_once.gathers), std::uint64_t(at_once.on_host)});
  const std::size_t traces = of_shots + correction_bytes(plan) * static_cast<std::size_t>(at_once.on_host);
  // The samples that sources feed are on the host while they are made, before the traces are.
  const std::size_t fed = Sources::host_bytes(shot.source_nodes, shot.source_samples, plan.grid().precision) *
                          static_cast<std::size_t>(at_once.on_host);
  const std::size_t free = choice.backend->free_bytes();
  const std::size_t beside = shared ? std::max(traces, fed) : 0;
  const std::size_t needed = on_device * at_once.on_device + beside;
  if (needed > free) refuse_fields(plan, choice, shot, at_once.on_device, needed, free, beside);
  const std::size_t snapshots = plan.snapshots.empty()
                                    ? 0
                                    : (snapshots_under_way + (plan.shot.scale == 1 ? 0 : 1)) *
                                          choice.backend->granted_bytes(plan.snapshots.bytes());
  const std::size_t host = available_host_memory(), with_fields = snapshots * at_once.on_device,
                    with_traces = snapshots * at_once.on_host;
  if (needed + with_fields > free || (!shared && traces + with_traces > host && traces <= host)) {
    const bool of_fields = needed + with_fields > free;
    throw Error(
        ErrorKind::resource,
        text(who(plan, at_once.on_device), gib(needed), " GiB and snapshots ",
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
