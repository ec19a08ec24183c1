#include "src/base/files/output_claims.hpp"

#include "src/base/error.hpp"

namespace minimod {

void OutputClaims::lock(const std::filesystem::path& file) {
  if (file.empty()) return;
  check_place(file);
  std::filesystem::path lock = file;
  lock.replace_filename(text('.', file.filename().native(), ".lock"));
  locks_.emplace_back(file, lock, FileLock::Sharing::alone);
}

void OutputClaims::add(const std::filesystem::path& file, const FileKind& kind, bool overwrite) {
  if (file.empty()) return;
  check_target(file, kind, overwrite);
  lock(file);
  check_target(file, kind, overwrite);
}

}  // namespace minimod
