/// One run at a time in a survey's folder, or workers of different numbers.
#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <string>

#include "src/base/files/file_lock.hpp"
#include "src/io/survey/journal.hpp"

namespace minimod {

/// Holds `.lock` of the folder: a run alone, workers in common, each of them `.lock.I` for itself besides.
class FolderLock {
 public:
  /// Error 73 that names who has it, and those of FileLock.
  FolderLock(const std::filesystem::path& folder, const WorkerNumber& worker);

  /// A run or a worker that is at work there.
  [[nodiscard]] static std::optional<std::string> owner_of(const std::filesystem::path& folder);

 private:
  std::deque<FileLock> locks_;
};

}  // namespace minimod
