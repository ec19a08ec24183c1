/// Files that one command makes, and no other meanwhile.
#pragma once

#include <deque>
#include <filesystem>

#include "src/base/files/file_lock.hpp"
#include "src/base/files/output_file.hpp"

namespace minimod {

/// A lock beside each file, ".NAME.lock", until the object ends. Empty names are of files that are not asked
/// for.
class OutputClaims {
 public:
  /// Locks the file's name, whatever has it. Errors: those of check_place and FileLock.
  void lock(const std::filesystem::path& file);
  /// Locks the file's name and checks, as check_can_create does, what has it: what another process made
  /// before is there then.
  void add(const std::filesystem::path& file, const FileKind& kind, bool overwrite);

 private:
  std::deque<FileLock> locks_;
};

}  // namespace minimod
