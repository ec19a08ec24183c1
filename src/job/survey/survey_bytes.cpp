#include "src/job/survey/survey_bytes.hpp"

#include <algorithm>

#include "src/base/files/output_file.hpp"
#include "src/base/option.hpp"
#include "src/io/snapshots/snapshot_file.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/outputs/shot_bytes.hpp"

namespace minimod {

SurveyBytes::SurveyBytes(const SurveyPlan& survey, const ShotOptions& options, std::size_t workers)
    : survey_(survey), formats_(formats_of(options.output)) {
  const RunPlan& plan = survey.shared;
  if (!plan.snapshots.empty()) of_each_ += snapshot_file_bytes(plan.snapshots);
  bytes_ = workers * checkpoints_bytes(plan, options.kernels, survey.largest.receivers);
}

void SurveyBytes::add(const ShotGeometry& shot) {
  bytes_ += of_each_ + gather_bytes(survey_.shared, formats_, shot.receivers.size(), shot.sources.size());
}

void SurveyBytes::check_room(const std::filesystem::path& folder) const {
  minimod::check_room(folder / "shots", bytes_ - std::min(bytes_, there_),
                      "make room, or take fewer " + option("shots"));
}

}  // namespace minimod
