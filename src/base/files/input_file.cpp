#include "src/base/files/input_file.hpp"

#include <cerrno>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/process/limits.hpp"

namespace minimod {
namespace {

Error open_error(const std::string& name, int error) {
  const std::string what = text("cannot read '", name, "'");
  if (const auto lacks = shortage(error, what)) return *lacks;
  const bool denied = error == EACCES || error == EPERM;
  return {denied ? ErrorKind::permission : ErrorKind::missing_input, text(what, ": ", reason(error)),
          denied ? "make it readable or give another file" : "check the path"};
}

}  // namespace

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  const std::string name = escaped(path_.native());
  // Non-blocking, or opening a named pipe would wait for its writer.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) throw open_error(name, errno);
  struct stat status {};
  const int error = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
  if (error == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  ::close(descriptor_);
  if (error != 0) throw open_error(name, error);
  throw Error(ErrorKind::missing_input,
              text("'", name, "' is ", S_ISDIR(status.st_mode) ? "a directory" : "no regular file"),
              "give a file");
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw Error(ErrorKind::io,
                  text("reading '", escaped(path_.native()), "' failed at byte ", offset, " of ", size_, ": ",
                       count < 0 ? reason(errno) : std::string("the file ends")),
                  "check the file and its disk");
    }
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

Error file_error(const std::filesystem::path& path, const std::string& wrong, const std::string& remedy) {
  return {ErrorKind::data, text("'", escaped(path.native(), 60), "' ", wrong), remedy};
}

}  // namespace minimod
