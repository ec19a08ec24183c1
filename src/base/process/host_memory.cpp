#include "src/base/process/host_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

#include "src/base/process/limits.hpp"

namespace minimod {
namespace {

/// A number of bytes that a file of the kernel holds, or the greatest there is ("max", no such file).
std::size_t bytes_in_file(const char* path) {
  std::ifstream file(path);
  std::size_t bytes = 0;
  return file >> bytes ? bytes : std::numeric_limits<std::size_t>::max();
}

}  // namespace

std::size_t available_host_memory() {
  std::size_t available =
      static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::ifstream info("/proc/meminfo");
  for (std::string key; info >> key;) {
    std::size_t kilobytes = 0;
    if (key == "MemAvailable:" && info >> kilobytes) available = kilobytes * 1024;
    info.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  const std::size_t limit = bytes_in_file("/sys/fs/cgroup/memory.max");
  const std::size_t used = bytes_in_file("/sys/fs/cgroup/memory.current");
  if (limit > used) available = std::min(available, limit - used);
  return std::min(available, memory_within_limits());
}

}  // namespace minimod
