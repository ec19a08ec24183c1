/// One run at a time in a survey's folder, or workers of different numbers.
#pragma once

#include <filesystem>

#include "src/survey/journal.hpp"

namespace minimod {

/// Holds `.lock` of the folder: a run alone, workers in common, each of them `.lock.I` for itself besides.
/// The system frees them when the process ends, however it does. The files stay; they name host and process
/// of who had them last. Where the file system knows no locks, nothing is locked (`is_held`).
class FolderLock {
 public:
  /// Error 73 that names who has it.
  FolderLock(const std::filesystem::path& folder, const WorkerNumber& worker);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  [[nodiscard]] bool is_held() const { return is_held_; }

 private:
  void take(const std::filesystem::path& file, bool alone, const std::filesystem::path& folder);

  int descriptors_[2] = {-1, -1};
  bool is_held_ = true;
};

}  // namespace minimod
