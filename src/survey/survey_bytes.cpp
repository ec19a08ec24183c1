#include "src/survey/survey_bytes.hpp"

#include <algorithm>

#include "src/base/output_file.hpp"
#include "src/choice/device_choice.hpp"
#include "src/shot/outputs.hpp"
#include "src/shot/segy_headers.hpp"

namespace minimod {

namespace {

/// Of the sections through the first source.
std::uint64_t section_bytes(Extent3 n) {
  const auto plane = [](int a, int b) { return std::uint64_t(a) * b * sizeof(float); };
  return plane(n.x, n.y) + plane(n.x, n.z) + plane(n.y, n.z);
}

/// Of a checkpoint's fields. Which schedule a shot has may be decided where it runs.
std::size_t most_state_bytes(const StepProblem& problem, const KernelOptions& kernels) {
  std::size_t most = 0;
  for (const Schedule* schedule : possible_schedules(kernels, problem)) {
    most = std::max(most, state_bytes(problem, *schedule));
  }
  return most;
}

}  // namespace

SurveyBytes::SurveyBytes(const SurveyPlan& survey, const ShotOptions& options, std::size_t workers)
    : survey_(survey), formats_(formats_of(options.output)) {
  const RunPlan& plan = survey.shared;
  if (!plan.snapshots.empty()) of_each_ += snapshot_file_bytes(plan.snapshots);
  if (formats_.hdf5) of_each_ += section_bytes(plan.grid.n);
  const std::uint64_t generations = options.output.checkpoint_every > 0 ? 2 : 1;
  const std::uint64_t traces = survey.largest.receivers * plan.samples() * bytes_of(plan.grid.precision);
  bytes_ = workers * generations * (most_state_bytes(plan.domain(), options.kernels) + traces);
}

void SurveyBytes::add(const ShotGeometry& shot) {
  constexpr std::uint64_t hdf5_head = 1 << 16, position = 12 * sizeof(double), sample = sizeof(double);
  const std::uint64_t receivers = shot.receivers.size(), traces = survey_.trace_bytes(shot);
  const std::uint64_t sources = shot.sources.size() * (position + survey_.shared.steps * sample);
  bytes_ += of_each_;
  if (formats_.hdf5) bytes_ += hdf5_head + traces + receivers * position + sources;
  if (formats_.segy) bytes_ += segy::file_header_bytes + traces + receivers * segy::trace_header_bytes;
}

void SurveyBytes::check_room(const std::filesystem::path& folder) const {
  minimod::check_room(folder / "shots", bytes_, "make room, or take fewer --shots");
}

}  // namespace minimod
