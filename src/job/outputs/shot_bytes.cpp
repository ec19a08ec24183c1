#include "src/job/outputs/shot_bytes.hpp"

#include <algorithm>

#include "src/base/error.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/option.hpp"
#include "src/base/saturated.hpp"
#include "src/choice/device_choice.hpp"
#include "src/io/checkpoint/checkpoint_file.hpp"
#include "src/io/snapshots/snapshot_file.hpp"
#include "src/job/outputs/outputs.hpp"

namespace minimod {

namespace {

/// Of the sections through the first source.
std::uint64_t section_nodes(Extent3 n) {
  const auto plane = [](int a, int b) { return std::uint64_t(a) * b; };
  return plane(n.x, n.y) + plane(n.x, n.z) + plane(n.y, n.z);
}

std::uint64_t trace_bytes(const RunPlan& plan, std::size_t receivers) {
  return saturated_product({receivers, std::uint64_t(plan.samples()), bytes_of(plan.grid().precision)});
}

}  // namespace

std::uint64_t gather_bytes(const RunPlan& plan, const GatherFormats& formats, std::size_t receivers,
                           std::size_t sources) {
  GatherSize size{receivers, std::uint64_t(plan.samples()), sources, bytes_of(plan.grid().precision)};
  size.wavelet_samples = plan.injection ? 0 : plan.steps;  // the injected file has those
  size.section_nodes = section_nodes(plan.grid().n);
  std::uint64_t bytes = 0;
  for (const GatherFormat* format : formats) bytes += format->bytes(size);
  return bytes;
}

std::uint64_t checkpoints_bytes(const RunPlan& plan, const KernelOptions& kernels, std::size_t receivers) {
  constexpr std::uint64_t generations = 2;  // also of signals alone: a shot may be stopped twice
  std::size_t most = 0;
  for (const Schedule* schedule : possible_schedules(kernels, plan.problem.domain)) {
    most = std::max(most, state_bytes(plan.problem.domain, *schedule));
  }
  return generations * (most + trace_bytes(plan, receivers));
}

void check_disk(const RunPlan& plan, const ShotOptions& options, const std::filesystem::path& file) {
  const std::size_t receivers = plan.shot.receivers.size();
  const std::uint64_t gather =
                          gather_bytes(plan, formats_of(options.output), receivers, plan.shot.sources.size()),
                      snapshots = plan.snapshots.empty() ? 0 : snapshot_file_bytes(plan.snapshots),
                      both = checkpoints_bytes(plan, options.kernels, receivers),
                      left = bytes_of_checkpoints(checkpoints_of(options.output)),
                      checkpoints = both - std::min(both, left);
  check_room(
      file, gather + snapshots + checkpoints,
      snapshots > gather + checkpoints
          ? text("make room, or take a larger ", option("snapshot-stride"), " or ", option("snapshot-every"))
          : text("make room (", checkpoints,
                 " are for its two checkpoints), or take fewer receivers or a larger ", option("record-dt")));
}

}  // namespace minimod
