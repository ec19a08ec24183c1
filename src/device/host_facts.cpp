#include "src/device/host_facts.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include <sys/utsname.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "src/base/error.hpp"
#include "src/base/parse.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

/// The first line of a file, empty where it cannot be read.
std::string line_of(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file) >> std::ws, line);
  return line;
}

double number_of(const fs::path& file) {
  return to_number(line_of(file)).value_or(0);
}

/// Calls use(name, value) for each line "name : value" of a file.
void for_each_field(const fs::path& file, const auto& use) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(std::min(line.find_first_not_of(' ', colon + 1), line.size()));
    use(line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1), value);
  }
}

/// Bytes of a field "MemTotal: 1024 kB".
std::size_t bytes_of_kibibytes(const std::string& value) {
  std::size_t kibibytes = 0;
  std::istringstream(value) >> kibibytes;
  return kibibytes << 10U;
}

/// Sockets, cores and processors: a core is known by its number and its socket's.
void count_processors(const fs::path& root, HostFacts& facts) {
  std::set<std::string> sockets;
  std::set<std::pair<std::string, std::string>> cores;
  std::string socket;
  for_each_field(root / "proc/cpuinfo", [&](const std::string& name, const std::string& value) {
    if (name == "processor") ++facts.processors;
    if (name == "physical id") sockets.insert(socket = value);
    if (name == "core id") cores.emplace(socket, value);
    if (name == "flags")
      facts.is_virtual = facts.is_virtual || (value + ' ').find(" hypervisor ") != std::string::npos;
  });
  facts.sockets = static_cast<int>(sockets.size());
  facts.cores = static_cast<int>(cores.size());
}

std::vector<NumaNode> numa_nodes(const fs::path& root) {
  std::vector<NumaNode> nodes;
  for (;;) {
    const fs::path folder = root / text("sys/devices/system/node/node", nodes.size());
    if (!fs::exists(folder)) return nodes;
    NumaNode& node = nodes.emplace_back();
    node.cpus = line_of(folder / "cpulist");
    for_each_field(folder / "meminfo", [&](const std::string& name, const std::string& value) {
      if (name.ends_with("MemTotal")) node.memory_bytes = bytes_of_kibibytes(value);
    });
  }
}

std::optional<CoreClock> core_clock(const fs::path& root) {
  constexpr double mhz = 1e-3;  // the files' kHz
  const fs::path folder = root / "sys/devices/system/cpu/cpu0/cpufreq";
  if (!fs::exists(folder)) return std::nullopt;
  return CoreClock{line_of(folder / "scaling_driver"), line_of(folder / "scaling_governor"),
                   mhz * number_of(folder / "scaling_min_freq"),
                   mhz * number_of(folder / "scaling_max_freq")};
}

/// The word in brackets of "always [madvise] never".
std::string chosen_word(const std::string& line) {
  const std::size_t begin = line.find('[') + 1;
  return begin == 0 ? "" : line.substr(begin, line.find(']') - begin);
}

std::string system_name() {
  utsname names{};
  return uname(&names) == 0 ? text(names.sysname, ' ', names.release) : "";
}

std::string c_library_name() {
#ifdef __GLIBC__
  return text("glibc ", gnu_get_libc_version());
#else
  return "";
#endif
}

}  // namespace

std::string processor_name(const fs::path& root) {
  std::string found;
  for_each_field(root / "proc/cpuinfo", [&](const std::string& name, const std::string& value) {
    if (name == "model name") found = value;
  });
  return found.empty() ? "host processor" : found;
}

HostFacts host_facts(const fs::path& root) {
  HostFacts facts;
  facts.processor = processor_name(root);
  count_processors(root, facts);
  for_each_field(root / "proc/meminfo", [&](const std::string& name, const std::string& value) {
    if (name == "MemTotal") facts.memory_bytes = bytes_of_kibibytes(value);
  });
  facts.nodes = numa_nodes(root);
  facts.clock = core_clock(root);
  facts.huge_pages = chosen_word(line_of(root / "sys/kernel/mm/transparent_hugepage/enabled"));
  facts.kernel = system_name();
  facts.c_library = c_library_name();
  return facts;
}

}  // namespace minimod
