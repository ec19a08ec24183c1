/// The files that a shot leaves: where they go, and that they may.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "src/base/files/output_claims.hpp"
#include "src/base/files/output_file.hpp"
#include "src/io/snapshots/snapshot_file.hpp"
#include "src/job/plan/shot_options.hpp"

namespace minimod {

/// Whether the suffix of --output says a format, of HDF5 or any other, and no folder has its name.
[[nodiscard]] bool names_file(const OutputOptions& options);

/// Formats that --format says, else the suffix of --output, else the first of the table. Error 64 where the
/// two contradict each other, the suffix says a format of others, or something is said of a format that is
/// not asked for.
[[nodiscard]] GatherFormats formats_of(const OutputOptions& options);
/// The first file of the gather that is written. Errors: those of formats_of.
[[nodiscard]] std::filesystem::path first_output_of(const OutputOptions& options);

/// Beginning of its checkpoints' names: "a/shot_gather.checkpoint" for a/shot_gather.h5.
[[nodiscard]] std::filesystem::path checkpoints_of(const OutputOptions& options);

struct GatherFile {
  const GatherFormat* format;
  std::filesystem::path path;
};

/// The folder of the gather, made where there is none; one that has stayed empty goes with it. Nobody else
/// makes any of the files, checkpoints included, while the object lives.
class ShotOutputs {
 public:
  using MayReplace = std::function<bool(const std::filesystem::path& file)>;

  /// Errors: those of formats_of and OutputClaims::lock; 73 one file for two, or a name of a file that is not
  /// in UTF-8, which none could keep.
  explicit ShotOutputs(const ShotOptions& options);

  /// Checks that outputs may be made. `may_replace` says which files that are there may be replaced by their
  /// like: a gather or snapshots by themselves, what is written behind one of them by that one. Errors: 73
  /// and 77 a gather, snapshots or a record that cannot be made.
  void check(const MayReplace& may_replace) const;

  /// The gather's, one a format.
  [[nodiscard]] const std::vector<GatherFile>& files() const { return files_; }
  [[nodiscard]] const std::filesystem::path& first() const { return files_.front().path; }
  /// Whether there is more than one file to be made, record and snapshots counted.
  [[nodiscard]] bool are_several() const { return count_ > 1; }
  [[nodiscard]] SnapshotPaths snapshots() const { return SnapshotPaths(first()); }

 private:
  std::vector<GatherFile> files_;
  std::filesystem::path record_;
  bool has_snapshots_;
  int count_ = 0;
  std::optional<OutputFolder> folder_;
  OutputClaims claims_;
};

}  // namespace minimod
