#include "src/io/survey/folder_lock.hpp"

#include "src/base/error.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = ".lock";

std::optional<std::string> worker_in(const fs::path& folder) {
  const std::string begin = text(lock_name, '.');
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), last; !error && entry != last; entry.increment(error)) {
    if (!entry->path().filename().native().starts_with(begin)) continue;
    if (auto owner = FileLock::owner_of(entry->path())) return owner;
  }
  return {};
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
  if (locks_.back().is_of_kernel()) return;
  if (const auto owner = worker_in(folder)) throw in_use(folder, *owner);
}

std::optional<std::string> FolderLock::owner_of(const fs::path& folder) {
  auto owner = worker_in(folder);
  return owner ? owner : FileLock::owner_of(folder / lock_name);
}

}  // namespace minimod
