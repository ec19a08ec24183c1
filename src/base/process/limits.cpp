#include "src/base/process/limits.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <limits>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace minimod {
namespace {

constexpr int least_files = 16;                         ///< a run with all its outputs has 8 open at most
constexpr std::size_t least_stack = 256U << 10U;        ///< bytes; at 16 KiB the libraries overflow it
constexpr std::size_t bytes_of_libraries = 32U << 20U;  ///< HDF5's caches and pieces above all

rlim_t limit_of(decltype(RLIMIT_STACK) resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

void require_stack() {
  const rlim_t limit = limit_of(RLIMIT_STACK);
  if (limit == RLIM_INFINITY || limit >= least_stack) return;
  throw Error(ErrorKind::resource,
              text("the stack is limited to ", limit >> 10U, " KiB, ", least_stack >> 10U, " are needed"),
              "raise the limit (ulimit -s 8192)");
}

/// Bytes of address space and of data that this process has.
std::array<std::size_t, 2> used_memory() {
  std::array<std::size_t, 7> pages{};  // in all, resident, shared, code, 0, data and stack, 0
  std::ifstream file("/proc/self/statm");
  for (std::size_t& count : pages) file >> count;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return {pages[0] * page, pages[5] * page};
}

}  // namespace

std::optional<Error> shortage(int error, const std::string& what) {
  const auto with = [&](const char* remedy) {
    return Error(ErrorKind::resource, text(what, ": ", reason(error)), remedy);
  };
  switch (error) {
    case EMFILE:
      return with("raise the limit of open files (ulimit -n)");
    case ENFILE:
      return with("the whole machine has too many open: close some");
    case EAGAIN:
      return with("raise the limit of processes (ulimit -u) or take fewer threads");
    case ENOMEM:
      return with("free some, or raise its limits (ulimit -v)");
    default:
      return std::nullopt;
  }
}

void check_limits() {
  require_stack();
  require_files(least_files);
  require_memory();
}

void require_files(int count) {
  std::vector<int> copies;
  int copy = 0;
  while (static_cast<int>(copies.size()) < count && copy >= 0) {
    copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    if (copy >= 0) copies.push_back(copy);
  }
  const int failure = errno;
  for (const int open : copies) close(open);
  if (copy >= 0 || failure != EMFILE) return;
  throw Error(ErrorKind::resource,
              text("the limit of open files, ", limit_of(RLIMIT_NOFILE), ", leaves ", copies.size(),
                   " more, ", count, " are needed"),
              "raise it (ulimit -n)");
}

void require_memory() {
  void* const there = mmap(nullptr, bytes_of_libraries, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (there == MAP_FAILED) {
    throw Error(ErrorKind::resource,
                text("the limits on memory leave less than ", bytes_of_libraries >> 20U, " MiB"),
                "raise them (ulimit -v, ulimit -d), or take fewer threads");
  }
  munmap(there, bytes_of_libraries);
}

std::size_t memory_within_limits() {
  constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  const rlim_t space = limit_of(RLIMIT_AS), data = limit_of(RLIMIT_DATA);
  if (space == RLIM_INFINITY && data == RLIM_INFINITY) return unlimited;
  const auto [used_space, used_data] = used_memory();
  const auto left = [](rlim_t limit, std::size_t used) -> std::size_t {
    if (limit == RLIM_INFINITY) return unlimited;
    return limit > used + bytes_of_libraries ? limit - used - bytes_of_libraries : 0;
  };
  return std::min(left(space, used_space), left(data, used_data));
}

}  // namespace minimod
