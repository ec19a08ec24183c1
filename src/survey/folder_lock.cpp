#include "src/survey/folder_lock.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/output_file.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

std::string this_process() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return text("process ", ::getpid(), " of ", host.data());
}

std::string owner_in(const fs::path& file) {
  std::string owner;
  std::getline(std::ifstream(file), owner);
  return owner;
}

/// Who holds a lock file of the folder: that file's last owner, or a worker.
std::string owner_of(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), last; !error && entry != last; entry.increment(error)) {
    const fs::path& other = entry->path();
    if (file.filename() != ".lock" || !other.filename().native().starts_with(".lock.")) continue;
    const int descriptor = ::open(other.c_str(), O_RDONLY | O_CLOEXEC);
    const bool is_taken =
        descriptor >= 0 && ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (descriptor >= 0) ::close(descriptor);
    if (is_taken) return owner_in(other);
  }
  return owner_in(file);
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, const WorkerNumber& worker) {
  try {
    take(folder / ".lock", !worker, folder);
    if (worker) take(folder / text(".lock.", *worker), true, folder);
  } catch (const Error&) {
    for (const int descriptor : descriptors_) ::close(descriptor);
    throw;
  }
}

FolderLock::~FolderLock() {
  for (const int descriptor : descriptors_) ::close(descriptor);
}

void FolderLock::take(const fs::path& file, bool alone, const fs::path& folder) {
  // Open for writing, as NFS wants it of a lock for one.
  const int descriptor = open_own(file);
  (descriptors_[0] < 0 ? descriptors_[0] : descriptors_[1]) = descriptor;
  if (::flock(descriptor, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      is_held_ = false;
      return;
    }
    throw Error(ExitCode::cannot_create,
                text(shown(folder), " is in use by ", escaped(owner_of(file, folder), 80)),
                "wait for its end, or take another --output");
  }
  const std::string owner = this_process() + "\n";
  if (!alone) return;
  if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, owner.data(), owner.size(), 0) < 0) {
    throw write_error(file, errno);
  }
}

}  // namespace minimod
