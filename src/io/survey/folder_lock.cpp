#include "src/io/survey/folder_lock.hpp"

#include <vector>

#include "src/base/error.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = ".lock";

/// Locks of workers that are there, whoever has them.
std::vector<fs::path> locks_of_workers(const fs::path& folder) {
  const std::string begin = text(lock_name, '.');
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), last; !error && entry != last; entry.increment(error)) {
    if (entry->path().filename().native().starts_with(begin)) found.push_back(entry->path());
  }
  return found;
}

std::optional<std::string> worker_in(const fs::path& folder) {
  for (const fs::path& lock : locks_of_workers(folder)) {
    if (auto owner = FileLock::owner_of(lock)) return owner;
  }
  return {};
}

/// Takes the locks that killed workers have left, and lets them go, so that the folder can become empty.
void remove_left(const fs::path& folder) {
  for (const fs::path& lock : locks_of_workers(folder)) {
    const std::string number = lock.filename().native().substr(text(lock_name, '.').size());
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    const FileLock left(folder, lock, FileLock::Sharing::alone);
  }
}

Error in_use(const fs::path& folder, const std::string& owner) {
  return {ErrorKind::cannot_create, text(shown(folder), " is in use by ", owner),
          "wait for its end, or choose another output"};
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, const WorkerNumber& worker) {
  const fs::path common = folder / lock_name;
  if (worker) {
    locks_.emplace_back(folder, folder / text(lock_name, '.', *worker), FileLock::Sharing::alone);
    locks_.emplace_back(folder, common, FileLock::Sharing::in_common);
    return;
  }
  if (const auto owner = worker_in(folder)) throw in_use(folder, *owner);
  locks_.emplace_back(folder, common, FileLock::Sharing::alone);
  // Where no kernel knows who has it in common, each side takes its own first and then looks for the other's.
  if (!locks_.back().is_of_kernel()) {
    if (const auto owner = worker_in(folder)) throw in_use(folder, *owner);
  }
  remove_left(folder);
}

std::optional<std::string> FolderLock::owner_of(const fs::path& folder) {
  auto owner = worker_in(folder);
  return owner ? owner : FileLock::owner_of(folder / lock_name);
}

}  // namespace minimod
