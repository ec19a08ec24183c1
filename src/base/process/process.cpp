#include "src/base/process/process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include "src/base/error.hpp"

namespace minimod {

namespace {

/// Words of /proc/PID/stat behind the program's name, which may have blanks and brackets; the state is first.
std::istringstream status_of(pid_t process) {
  std::ifstream file(text("/proc/", process, "/stat"));
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(") ");
  return std::istringstream(name_end == std::string::npos ? "" : line.substr(name_end + 2));
}

}  // namespace

std::string host_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

std::string place_of_processes() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  struct stat space {};
  const bool is_known = ::stat("/proc/self/ns/pid", &space) == 0;
  return text(host_name(), ' ', boot, ' ', is_known ? space.st_ino : 0);
}

bool has_ended(pid_t process) {
  if (::kill(process, 0) != 0 && errno == ESRCH) return true;
  std::string state;
  status_of(process) >> state;
  return state == "Z";
}

std::string beginning_of(pid_t process) {
  constexpr int words_before = 19;  // proc(5): from field 3, the state, to field 22
  std::istringstream status = status_of(process);
  std::string word;
  for (int i = 0; i <= words_before; ++i) status >> word;
  return status ? word : "";
}

std::optional<std::vector<pid_t>> living_children(pid_t process) {
  std::vector<pid_t> living;
  std::error_code failure;  // a thread, or the process, may end meanwhile
  std::filesystem::directory_iterator thread(text("/proc/", process, "/task"), failure), end;
  for (; thread != end && !failure; thread.increment(failure)) {
    std::ifstream children(thread->path() / "children");
    if (!children) return {};
    for (pid_t child = 0; children >> child;) {
      if (!has_ended(child)) living.push_back(child);
    }
  }
  if (failure) return {};
  return living;
}

bool runs_this_program(pid_t process) {
  std::error_code unknown;
  return std::filesystem::equivalent("/proc/self/exe", text("/proc/", process, "/exe"), unknown);
}

}  // namespace minimod
