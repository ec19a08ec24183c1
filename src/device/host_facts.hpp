/// Facts of the machine whose cores this process runs on, as Linux tells them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace minimod {

struct NumaNode {
  std::string cpus;  ///< numbers of its processors, "0-31,64-95"
  std::size_t memory_bytes = 0;
};

/// Clock of a core, as its driver has it: MHz.
struct CoreClock {
  std::string driver, governor;
  double least_mhz = 0, greatest_mhz = 0;
};

struct HostFacts {
  std::string processor;
  bool is_virtual = false;  ///< true of a virtual machine, whose host decides about clocks
  int sockets = 0;          ///< 0 where nobody says so, as the next two
  int cores = 0;
  int processors = 0;  ///< hardware threads, more than cores where a core has several
  std::size_t memory_bytes = 0;
  std::vector<NumaNode> nodes;
  std::optional<CoreClock> clock;  ///< clock of the first core; nothing in most virtual machines
  std::string huge_pages;          ///< always, madvise or never; empty where nobody says so
  std::string kernel;              ///< system and release, "Linux 6.1.0"
  std::string c_library;
};

/// The processor's name, as /proc/cpuinfo below `root` has it.
[[nodiscard]] std::string processor_name(const std::filesystem::path& root = "/");

/// From the files of /proc and /sys below `root`. No host's, user's or folder's name is among them.
[[nodiscard]] HostFacts host_facts(const std::filesystem::path& root = "/");

}  // namespace minimod
