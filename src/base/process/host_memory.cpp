#include "src/base/process/host_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <span>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "src/base/process/limits.hpp"
#include "src/base/process/threads.hpp"

namespace minimod {
namespace {

/// A number of bytes that a file of the kernel holds, or the greatest there is ("max", no such file).
std::size_t bytes_in_file(const char* path) {
  std::ifstream file(path);
  std::size_t bytes = 0;
  return file >> bytes ? bytes : std::numeric_limits<std::size_t>::max();
}

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// The large pages that lie wholly in some memory.
std::span<std::byte> whole_pages(void* memory, std::size_t bytes) {
  const std::size_t skipped = (huge_page - reinterpret_cast<std::uintptr_t>(memory) % huge_page) % huge_page;
  if (bytes < skipped + huge_page) return {};
  return {static_cast<std::byte*>(memory) + skipped, (bytes - skipped) / huge_page * huge_page};
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

void ask_for_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  const auto whole = whole_pages(memory, bytes);
  if (!whole.empty()) madvise(whole.data(), whole.size(), MADV_HUGEPAGE);
#endif
}

void make_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  constexpr std::size_t piece = 16 * huge_page;
  const auto whole = whole_pages(memory, bytes);
  if (whole.size() < 2 * piece) return;
  ask_for_huge_pages(memory, bytes);
  for_all(static_cast<int>(whole.size() / piece), true,
          [&](int i) {  // an older kernel refuses, and makes them later
            madvise(whole.data() + i * piece, piece, MADV_POPULATE_WRITE);
          });
#endif
}

}  // namespace minimod
