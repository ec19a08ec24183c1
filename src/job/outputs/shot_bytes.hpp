/// Room that the files of a shot and of a survey take on the disk.
#pragma once

#include <cstdint>
#include <filesystem>

#include "src/choice/kernel_options.hpp"
#include "src/job/plan/survey_plan.hpp"

namespace minimod {

/// The greatest size that the gather's files may have.
[[nodiscard]] std::uint64_t gather_bytes(const Problem& problem, const GatherFormats& formats,
                                         std::size_t receivers, std::size_t sources, bool injected);

/// Bytes of the two largest checkpoints of a shot that may be there at a time. Its schedule may be decided
/// where it runs.
[[nodiscard]] std::uint64_t checkpoints_bytes(const Problem& problem, const KernelOptions& kernels,
                                              std::size_t receivers);

/// Error 74 where the file system has no room for what a run leaves beside `file`, its gather: that,
/// snapshots, and checkpoints, less those that are there and will be replaced.
void check_disk(const SurveyPlan& run, const ShotOptions& options, const std::filesystem::path& file);

/// The greatest sizes that the files of some shots may have: the traces of an HDF5 file shrink, nobody knows
/// how much.
class SurveyBytes {
 public:
  /// With the checkpoints of the shots that `workers` have in hand.
  SurveyBytes(const SurveyPlan& survey, const ShotOptions& options, std::size_t workers);

  /// The files of one more shot.
  void add(const ShotGeometry& shot);
  /// Adds bytes that are there already, and are replaced.
  void add_there(std::uint64_t bytes) { there_ += bytes; }
  /// Error 74 where the file system of `folder`, which need not be there, has less room.
  void check_room(const std::filesystem::path& folder) const;

 private:
  const SurveyPlan& survey_;
  GatherFormats formats_;
  std::uint64_t bytes_ = 0, of_each_ = 0, there_ = 0;
};

}  // namespace minimod
