#include "src/job/outputs/shot_bytes.hpp"

#include <algorithm>

#include "src/base/error.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/option.hpp"
#include "src/base/saturated.hpp"
#include "src/choice/device_choice.hpp"
#include "src/io/segy/segy_headers.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/shot/checkpoint_file.hpp"
#include "src/job/shot/snapshot_file.hpp"

namespace minimod {

namespace {

/// Of the sections through the first source.
std::uint64_t section_bytes(Extent3 n) {
  const auto plane = [](int a, int b) { return std::uint64_t(a) * b * sizeof(float); };
  return plane(n.x, n.y) + plane(n.x, n.z) + plane(n.y, n.z);
}

std::uint64_t trace_bytes(const RunPlan& plan, std::size_t receivers) {
  return saturated_product({receivers, std::uint64_t(plan.samples()), bytes_of(plan.grid.precision)});
}

}  // namespace

std::uint64_t gather_bytes(const RunPlan& plan, const FileFormats& formats, std::size_t receivers,
                           std::size_t sources) {
  constexpr std::uint64_t hdf5_head = 1 << 16, position = 12 * sizeof(double), sample = sizeof(double);
  const std::uint64_t wavelet = plan.injection ? 0 : plan.steps * sample;  // the injected file has those
  std::uint64_t bytes = 0;
  if (formats.hdf5) {
    bytes += hdf5_head + section_bytes(plan.grid.n) + trace_bytes(plan, receivers) + receivers * position +
             saturated_product({sources, position + wavelet});
  }
  if (formats.segy) {
    const std::uint64_t samples =
        saturated_product({receivers, std::uint64_t(plan.samples()), sizeof(float)});
    bytes += segy::file_header_bytes + samples + receivers * segy::trace_header_bytes;
  }
  return bytes;
}

std::uint64_t checkpoints_bytes(const RunPlan& plan, const KernelOptions& kernels, std::size_t receivers) {
  constexpr std::uint64_t generations = 2;  // also of signals alone: a shot may be stopped twice
  std::size_t most = 0;
  for (const Schedule* schedule : possible_schedules(kernels, plan.domain())) {
    most = std::max(most, state_bytes(plan.domain(), *schedule));
  }
  return generations * (most + trace_bytes(plan, receivers));
}

void check_disk(const RunPlan& plan, const ShotOptions& options, const std::filesystem::path& file) {
  const std::size_t receivers = plan.receivers.size();
  const std::uint64_t gather = gather_bytes(plan, formats_of(options.output), receivers, plan.sources.size()),
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
