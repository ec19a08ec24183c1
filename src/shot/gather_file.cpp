#include "src/shot/gather_file.hpp"

#include <atomic>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/hdf5.hpp"
#include "src/shot/gather_texts.hpp"

namespace minimod {
namespace gather_file {
namespace {

namespace fs = std::filesystem;

/// Name of the temporary file that exists now, for remove_temporary.
std::atomic<const char*> temporary_name = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads it");

Error create_error(const fs::path& file, int error) {
  const bool denied = error == EACCES || error == EPERM || error == EROFS;
  return {denied ? ExitCode::permission : ExitCode::cannot_create,
          text("cannot create ", shown(file), ": ", reason(error)), "choose another output"};
}

bool is_gather(const fs::path& file) {
  try {
    const hdf5::Handle texts = open_texts(hdf5::open_for_reading(file), file);
    const std::string format = hdf5::read_text_attribute(texts, "format");
    return format == format_name || format == sections_format_name;
  } catch (const Error&) {
    return false;
  }
}

/// Refuses a file that stands in the way of the new one.
void check_existing(const fs::path& file, bool overwrite) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) return;
  if (S_ISDIR(status.st_mode)) {
    throw Error(ExitCode::cannot_create, shown(file) + " is a directory", "give the name of a file");
  }
  if (!overwrite) {
    throw Error(ExitCode::cannot_create, shown(file) + " exists",
                "give --force to replace it or another output");
  }
  if (!is_gather(file)) {
    throw Error(ExitCode::cannot_create, shown(file) + " exists and is no shot gather, so --force keeps it",
                "move it away or choose another output");
  }
  if (::access(file.c_str(), W_OK) != 0) throw create_error(file, errno);
}

void check_directory(const fs::path& file) {
  const fs::path directory = file.parent_path().empty() ? "." : file.parent_path();
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (file.filename().empty() || file.filename() == "." || file.filename() == "..") {
    throw Error(ExitCode::cannot_create, shown(file) + " is not the name of a file",
                "give one such as shot_gather.h5");
  }
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw Error(ExitCode::cannot_create, shown(directory) + " is not a directory", "choose another output");
  }
  if (status.type() == fs::file_type::not_found) {
    throw Error(ExitCode::cannot_create, "there is no directory " + shown(directory),
                "make it or choose another output");
  }
}

}  // namespace

std::string shown(const fs::path& path) {
  return text("'", escaped(path.native(), 80), "'");
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

Error write_error(const fs::path& file, const std::string& what) {
  return {ExitCode::io, text("writing ", shown(file), " failed: ", what), "check the disk and its quota"};
}

void check_target(const fs::path& file, bool overwrite) {
  check_directory(file);
  check_existing(file, overwrite);
}

TemporaryFile::TemporaryFile(const fs::path& target) : target_(target), path_(target) {
  path_.replace_filename("." + target.filename().native() + "." + std::to_string(::getpid()) + ".tmp");
  ::unlink(path_.c_str());  // left by a killed process of the same number, as in containers
  temporary_name = path_.c_str();
  const int descriptor = ::open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    const int error = errno;
    temporary_name = nullptr;
    throw create_error(target, error);
  }
  ::close(descriptor);
}

void TemporaryFile::publish() {
  sync(path_, O_RDONLY);
  if (::rename(path_.c_str(), target_.c_str()) != 0) throw create_error(target_, errno);
  temporary_name = nullptr;
  sync(target_.parent_path().empty() ? "." : target_.parent_path(), O_RDONLY | O_DIRECTORY);
}

void TemporaryFile::sync(const fs::path& path, int flags) const {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  // A directory may be writable and not readable; some file systems cannot sync one.
  const bool directory = (flags & O_DIRECTORY) != 0;
  if (descriptor < 0 && directory) return;
  const int error = descriptor >= 0 && ::fsync(descriptor) == 0 ? 0 : errno;
  if (descriptor >= 0) ::close(descriptor);
  if (error != 0 && !(directory && error == EINVAL)) throw write_error(target_, reason(error));
}

}  // namespace gather_file

void check_can_create(const std::filesystem::path& file, bool overwrite) {
  hdf5::initialize();
  gather_file::check_target(file, overwrite);
  const gather_file::TemporaryFile probe(file);
}

void remove_temporary() noexcept {
  const char* const name = gather_file::temporary_name.exchange(nullptr);
  if (name != nullptr) ::unlink(name);
}

}  // namespace minimod
