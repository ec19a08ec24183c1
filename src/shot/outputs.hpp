/// The files that a shot leaves: where they go, and that they may.
#pragma once

#include <filesystem>

#include "src/base/output_file.hpp"
#include "src/shot/shot_options.hpp"

namespace minimod {

/// The folder of the gather, made where there is none; one that has stayed empty goes with it.
class ShotOutputs {
 public:
  /// Errors: 73 and 77 a gather or a record that cannot be made, 73 one file for both, or a name of a file
  /// that is not in UTF-8, which neither could keep.
  explicit ShotOutputs(const ShotOptions& options);

  [[nodiscard]] const std::filesystem::path& gather() const { return gather_; }

 private:
  std::filesystem::path gather_;
  OutputFolder folder_;
};

}  // namespace minimod
