/// Gathers of the residuals of a gradient's shots.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/base/files/output_file.hpp"
#include "src/io/gather_format.hpp"
#include "src/job/plan/survey_plan.hpp"

namespace minimod {

class ResidualFiles {
 public:
  /// In a file whose suffix says the format, which then is of one shot, or in a folder, made where there is
  /// none, in the first of the formats. Error 64 a file for several shots; 73 a folder that cannot be made.
  ResidualFiles(const std::string& name, const SurveyPlan& plan);

  [[nodiscard]] bool is_there(int shot) const;
  /// `kept`: files that they must not be. Errors: 73 one of those, and those of check_can_create.
  void check(int shot, bool overwrite, const std::vector<std::filesystem::path>& kept) const;
  /// Bytes of a shot's at most.
  [[nodiscard]] std::uint64_t bytes(const Problem& problem, const ShotGeometry& shot) const;
  /// Error 74 where the file system has no room for so many bytes.
  void check_room(std::uint64_t bytes) const;
  /// Removes what processes that were killed have left of them.
  void remove_dead() const;
  /// Over what is there. Values are [receiver][sample], rounded to the precision. Errors: those of
  /// GatherFormat::write.
  void write(ShotGather gather, int shot, const std::vector<double>& residual, Precision precision) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(int shot) const;

  std::filesystem::path name_;
  const GatherFormat* format_;  ///< format of the files
  bool is_folder_;
  std::optional<OutputFolder> folder_;
};

}  // namespace minimod
