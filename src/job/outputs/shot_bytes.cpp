#include "src/job/outputs/shot_bytes.hpp"

#include <algorithm>

#include "src/base/error.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/option.hpp"
#include "src/choice/device_choice.hpp"
#include "src/io/checkpoint/checkpoint_file.hpp"
#include "src/io/snapshots/snapshot_file.hpp"
#include "src/job/outputs/outputs.hpp"

namespace minimod {

namespace {

/// Nodes of the sections through the first source.
std::uint64_t section_nodes(Extent3 n) {
  const auto plane = [](int a, int b) { return std::uint64_t(a) * b; };
  return plane(n.x, n.y) + plane(n.x, n.z) + plane(n.y, n.z);
}

}  // namespace

std::uint64_t gather_bytes(const Problem& problem, const GatherFormats& formats, std::size_t receivers,
                           std::size_t sources, bool injected) {
  GatherSize size{receivers, std::uint64_t(problem.time.samples()), sources,
                  bytes_of(problem.grid().precision)};
  size.wavelet_samples = injected ? 0 : problem.time.steps;  // the injected file has those
  size.section_nodes = section_nodes(problem.grid().n);
  std::uint64_t bytes = 0;
  for (const GatherFormat* format : formats) bytes += format->bytes(size);
  return bytes;
}

std::uint64_t checkpoints_bytes(const Problem& problem, const KernelOptions& kernels, std::size_t receivers) {
  constexpr std::uint64_t generations = 2;  // also of signals alone: a shot may be stopped twice
  std::size_t most = 0;
  for (const Schedule* schedule : possible_schedules(kernels, problem.domain)) {
    most = std::max(most, state_bytes(problem.domain, *schedule));
  }
  return generations * (most + problem.trace_bytes(receivers));
}

void check_disk(const SurveyPlan& run, const ShotOptions& options, const std::filesystem::path& file) {
  const Shot& shot = run.first;
  const Problem& problem = run.shared.problem;
  const SnapshotPlan& wanted = run.shared.snapshots;
  const std::size_t receivers = shot.receivers.size();
  const std::uint64_t gather = gather_bytes(problem, formats_of(options.output), receivers,
                                            shot.sources.size(), shot.injection != nullptr),
                      snapshots = wanted.empty() ? 0 : snapshot_file_bytes(wanted),
                      both = checkpoints_bytes(problem, options.kernels, receivers),
                      left = bytes_of_checkpoints(checkpoints_of(options.output)),
                      checkpoints = both - std::min(both, left);
  check_room(
      file, gather + snapshots + checkpoints,
      snapshots > gather + checkpoints
          ? text("make room, or take a larger ", option("snapshot-stride"), " or ", option("snapshot-every"))
          : text("make room (", checkpoints,
                 " are for its two checkpoints), or take fewer receivers or a larger ", option("record-dt")));
}

SurveyBytes::SurveyBytes(const SurveyPlan& survey, const ShotOptions& options, std::size_t workers)
    : survey_(survey), formats_(formats_of(options.output)) {
  const RunPlan& plan = survey.shared;
  if (!plan.snapshots.empty()) of_each_ += snapshot_file_bytes(plan.snapshots);
  bytes_ = workers * checkpoints_bytes(plan.problem, options.kernels, survey.largest.receivers);
}

void SurveyBytes::add(const ShotGeometry& shot) {
  bytes_ += of_each_ + gather_bytes(survey_.shared.problem, formats_, shot.receivers.size(),
                                    shot.sources.size(), survey_.shared.injection != nullptr);
}

void SurveyBytes::check_room(const std::filesystem::path& folder) const {
  minimod::check_room(folder / "shots", bytes_ - std::min(bytes_, there_),
                      "make room, or take fewer " + option("shots"));
}

}  // namespace minimod
