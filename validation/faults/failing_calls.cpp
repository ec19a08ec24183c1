/// A library to preload (LD_PRELOAD): it counts the calls that write files below a folder, in all processes
/// of a command together, and lets one of them fail, as a disk does that is full or breaks for a moment.
///
///     FAILING_FOLDER  the folder, an absolute path without links
///     FAILING_COUNT   a file of 8 zero bytes, which becomes the number of calls so far
///     FAILING_CALL    the number of the call that fails, from 1; 0: none
///     FAILING_ERROR   its errno; 0: the process is killed in its place
///     FAILING_LOG     a file outside of the folder, in which each call gets a line; empty: none
///     FAILING_FLOCK   an errno with which every flock fails, as where a file system has no locks; empty:
///     none
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

std::string_view setting(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// Shared by all processes of the command.
std::uint64_t* counter() {
  static auto* const shared = [] {
    const int descriptor = ::open(setting("FAILING_COUNT").data(), O_RDWR | O_CLOEXEC);
    void* const memory = descriptor < 0 ? MAP_FAILED
                                        : ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                                                 MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) std::abort();
    return static_cast<std::uint64_t*>(memory);
  }();
  return shared;
}

void log_call(const char* call, std::string_view file, std::uint64_t number) {
  static const int log = ::open(setting("FAILING_LOG").data(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (log < 0) return;
  std::array<char, 512> line{};
  const int length =
      std::snprintf(line.data(), line.size(), "%llu %s %.*s\n", static_cast<unsigned long long>(number), call,
                    static_cast<int>(std::min<std::size_t>(file.size(), 400)), file.data());
  static auto* const write_it = next<ssize_t(int, const void*, std::size_t)>("write");
  write_it(log, line.data(), static_cast<std::size_t>(length));
}

/// Whether this call of `file` has to fail; errno says why.
bool fails(const char* call, std::string_view file) {
  const std::string_view folder = setting("FAILING_FOLDER");
  if (folder.empty() || !file.starts_with(folder)) return false;
  const std::uint64_t number = __atomic_add_fetch(counter(), 1, __ATOMIC_SEQ_CST);
  log_call(call, file.substr(folder.size()), number);
  if (number != std::strtoull(setting("FAILING_CALL").data(), nullptr, 10)) return false;
  errno = std::atoi(setting("FAILING_ERROR").data());
  if (errno == 0) ::kill(::getpid(), SIGKILL);
  return true;
}

/// The same of an open file that is open for writing, or of a folder, which fsync may be called for.
bool fails(const char* call, int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || ((flags & O_ACCMODE) == O_RDONLY && std::strcmp(call, "fsync") != 0)) return false;
  std::array<char, 4096> file{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  return ::readlink(link.c_str(), file.data(), file.size() - 1) > 0 && fails(call, file.data());
}

/// A name as the kernel would say it, of a file that need not be there.
std::string absolute(const char* name) {
  std::array<char, 4096> here{};
  return *name == '/' || ::getcwd(here.data(), here.size()) == nullptr
             ? name
             : std::string(here.data()) + "/" + name;
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, std::size_t count) {
  static auto* const original = next<decltype(write)>("write");
  return fails("write", descriptor) ? -1 : original(descriptor, bytes, count);
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  static auto* const original = next<decltype(writev)>("writev");
  return fails("writev", descriptor) ? -1 : original(descriptor, parts, count);
}

ssize_t pwrite(int descriptor, const void* bytes, std::size_t count, off_t offset) {
  static auto* const original = next<decltype(pwrite)>("pwrite");
  return fails("pwrite", descriptor) ? -1 : original(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void* bytes, std::size_t count, off64_t offset) {
  static auto* const original = next<decltype(pwrite64)>("pwrite64");
  return fails("pwrite64", descriptor) ? -1 : original(descriptor, bytes, count, offset);
}

int ftruncate(int descriptor, off_t size) {
  static auto* const original = next<decltype(ftruncate)>("ftruncate");
  return fails("ftruncate", descriptor) ? -1 : original(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
  static auto* const original = next<decltype(ftruncate64)>("ftruncate64");
  return fails("ftruncate64", descriptor) ? -1 : original(descriptor, size);
}

int fsync(int descriptor) {
  static auto* const original = next<decltype(fsync)>("fsync");
  return fails("fsync", descriptor) ? -1 : original(descriptor);
}

/// As over NFS, where what could not be written is said last here. The descriptor is gone all the same.
int close(int descriptor) {
  static auto* const original = next<decltype(close)>("close");
  const bool failing = fails("close", descriptor);
  const int error = errno;
  const int result = original(descriptor);
  if (failing) errno = error;
  return failing ? -1 : result;
}

int rename(const char* from, const char* to) {
  static auto* const original = next<decltype(rename)>("rename");
  return fails("rename", absolute(to)) ? -1 : original(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  static auto* const original = next<decltype(renameat2)>("renameat2");
  return fails("renameat2", absolute(to)) ? -1 : original(from_folder, from, to_folder, to, flags);
}

int flock(int descriptor, int how) {
  static auto* const original = next<decltype(flock)>("flock");
  const std::string_view error = setting("FAILING_FLOCK");
  if (error.empty()) return original(descriptor, how);
  errno = std::atoi(error.data());
  return -1;
}

}  // extern "C"
