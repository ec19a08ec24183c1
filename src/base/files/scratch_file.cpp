#include "src/base/files/scratch_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "src/base/files/output_file.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

/// Calls move(rest, place) until none of the bytes is left. Error 74 of a file in that folder.
template <class Byte, class Move>
void move_all(const fs::path& folder, std::uint64_t at, std::span<Byte> bytes, const Move& move) {
  while (!bytes.empty()) {
    const ssize_t count = move(bytes, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw write_error(folder, count < 0 ? errno : 0, cut_short);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    at += static_cast<std::uint64_t>(count);
  }
}

}  // namespace

ScratchFile::ScratchFile(const fs::path& folder, std::uint64_t bytes) : folder_(folder) {
  const fs::path name = temporary_name(folder / "scratch");
  check_place(name);
  descriptor_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ < 0) throw create_error(name, errno);
  ::unlink(name.c_str());
  if (bytes == 0 || ::fallocate(descriptor_, 0, 0, static_cast<off_t>(bytes)) == 0) return;
  const int error = errno;
  if (error == EOPNOTSUPP || error == ENOSYS) return;
  ::close(descriptor_);
  throw write_error(folder_, error);
}

ScratchFile::~ScratchFile() {
  ::close(descriptor_);
}

void ScratchFile::write(std::uint64_t at, std::span<const std::byte> bytes) {
  move_all(folder_, at, bytes, [&](std::span<const std::byte> rest, off_t place) {
    return ::pwrite(descriptor_, rest.data(), rest.size(), place);
  });
}

void ScratchFile::read(std::uint64_t at, std::span<std::byte> bytes) const {
  move_all(folder_, at, bytes, [&](std::span<std::byte> rest, off_t place) {
    return ::pread(descriptor_, rest.data(), rest.size(), place);
  });
}

std::uint64_t room_in(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error) throw create_error(folder, error.value());
  return space.available;
}

}  // namespace minimod
