#include "kernels/compiled/code_cache.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/files/cache_folder.hpp"
#include "src/base/files/sha256.hpp"

namespace minimod {

namespace {

constexpr off_t most_code_bytes = 64 << 20;

/// A descriptor that is closed.
struct OpenFile {
  int number;
  explicit OpenFile(int opened) : number(opened) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (number >= 0) close(number);
  }
};

/// The seal behind the code in its file. (Loaders pass over what comes behind an ELF file's sections.)
std::string seal(const std::string& key, std::string_view code) {
  return text("\nminimod.compiled/1 ", key, ' ', sha256(key + std::string(code)), '\n');
}

/// The content of a regular file of this user that nobody else can write; empty of all else.
std::string content_of_own(const std::filesystem::path& path) {
  const OpenFile file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (file.number < 0 || fstat(file.number, &status) != 0) return "";
  const bool is_own = status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (!S_ISREG(status.st_mode) || !is_own || status.st_size > most_code_bytes) return "";
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t got = 0;
  while (got < content.size()) {
    const ssize_t n = read(file.number, content.data() + got, content.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return "";
    got += static_cast<std::size_t>(n);
  }
  return content;
}

bool write_bytes(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = write(file, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// Whole under its name, or not there.
bool write_own(const std::filesystem::path& path, std::string_view content) {
  const std::string temporary = text(path.string(), '.', getpid());
  unlink(temporary.c_str());  // a killed process of that number may have left it
  bool written = false;
  {
    const OpenFile file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.number < 0) return false;
    written = write_bytes(file.number, content);
  }
  if (written && rename(temporary.c_str(), path.c_str()) == 0) return true;
  unlink(temporary.c_str());
  return false;
}

}  // namespace

CodeCache CodeCache::of_user() {
  const std::filesystem::path folder = cache_folder();
  return CodeCache(folder.empty() ? folder : folder / "compiled_shapes");
}

std::optional<std::string> CodeCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  std::string content = content_of_own(folder_ / key);
  const std::size_t seal_bytes = seal(key, "").size();
  if (content.size() <= seal_bytes) return std::nullopt;
  const std::string_view code(content.data(), content.size() - seal_bytes);
  if (content.substr(code.size()) != seal(key, code)) return std::nullopt;
  content.resize(code.size());
  return content;
}

void CodeCache::keep(const std::string& key, std::string_view code) const {
  if (make_folder()) write_own(folder_ / key, std::string(code) + seal(key, code));
}

std::filesystem::path CodeCache::keep_log(const std::string& name, std::string_view text_of_log) const {
  if (make_folder() && write_own(folder_ / name, text_of_log)) return folder_ / name;
  std::error_code none;
  std::string pattern = (std::filesystem::temp_directory_path(none) / (name + ".XXXXXX")).string();
  const OpenFile file(mkostemp(pattern.data(), O_CLOEXEC));
  return file.number >= 0 && write_bytes(file.number, text_of_log) ? pattern : "";
}

bool CodeCache::make_folder() const {
  if (folder_.empty()) return false;
  std::error_code failure;
  std::filesystem::create_directories(folder_, failure);
  return std::filesystem::is_directory(folder_, failure);
}

}  // namespace minimod
