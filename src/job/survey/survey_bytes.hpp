/// What a survey takes of the disk.
#pragma once

#include <cstdint>
#include <filesystem>

#include "src/job/survey/survey_plan.hpp"

namespace minimod {

/// The greatest sizes that the files of some shots may have: the traces of an HDF5 file shrink, nobody knows
/// how much.
class SurveyBytes {
 public:
  /// With the checkpoints of the shots that `workers` have in hand.
  SurveyBytes(const SurveyPlan& survey, const ShotOptions& options, std::size_t workers);

  /// The files of one more shot.
  void add(const ShotGeometry& shot);
  /// What they find there already, and replace.
  void add_there(std::uint64_t bytes) { there_ += bytes; }
  /// Error 74 where the file system of `folder`, which need not be there, has less room.
  void check_room(const std::filesystem::path& folder) const;

 private:
  const SurveyPlan& survey_;
  GatherFormats formats_;
  std::uint64_t bytes_ = 0, of_each_ = 0, there_ = 0;
};

}  // namespace minimod
