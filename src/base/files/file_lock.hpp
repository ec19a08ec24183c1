/// One process at a time over what it makes.
///
/// A lock is a small file that says who has it: process, host, since when. It comes under its name with all
/// its words, locked already: a file of any other content is not ours and is kept. Where the file system
/// knows flock(2), that lock is what counts, and the kernel frees it however the process ends; a file that is
/// left, as after a SIGKILL, stands in nobody's way. Elsewhere (NFS and Lustre without locks) the file itself
/// is the lock: it counts until its process has ended, which only the same machine can see.
/// A lock's file is removed by who has the lock alone, so that nobody takes one that is about to go.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "src/base/files/leftovers.hpp"

namespace minimod {

class FileLock {
 public:
  enum class Sharing { alone, in_common };

  /// Takes `file`, the lock of `guarded`, which need not be there. Without locks of the file system a lock in
  /// common is not taken; it is refused all the same where another has it alone. Tells where the
  /// file system can do neither. Errors: 73 that names who has it, 73 for a file that is no lock, 74, 77.
  FileLock(const std::filesystem::path& guarded, std::filesystem::path file, Sharing sharing);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  /// Whether the kernel keeps it.
  [[nodiscard]] bool is_of_kernel() const { return is_of_kernel_; }
  /// Who has it, as in "process 7 of host since 2026-11-25T14:00:00Z"; nothing where nobody has it, or what
  /// is there is no lock.
  [[nodiscard]] static std::optional<std::string> owner_of(const std::filesystem::path& file);

 private:
  enum class Attempt { taken, again, refused };
  Attempt make();
  Attempt take_existing();
  Attempt refuse_by_name(const std::filesystem::path& file, const std::string& content);
  Attempt remove_ended(const std::string& content);

  std::filesystem::path guarded_, file_;
  Sharing sharing_;
  std::string content_;                 ///< content of the file, where this process made it
  std::string owner_;                   ///< who has it, where it is refused
  std::filesystem::path killed_leave_;  ///< words on what stays in the way then if its owner is killed
  std::optional<Leftover> leftover_;
  int descriptor_ = -1;
  bool is_of_kernel_ = true;
};

}  // namespace minimod
