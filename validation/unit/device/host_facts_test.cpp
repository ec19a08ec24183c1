/// Facts of a machine from files as Linux has them.
#include "src/device/host_facts.hpp"

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"

using namespace minimod;

namespace {

class FakeMachine {
 public:
  void write(const std::string& file, const std::string& content) const {
    std::filesystem::create_directories((folder_.path() / file).parent_path());
    static_cast<void>(folder_.write(file, content));
  }
  [[nodiscard]] HostFacts facts() const { return host_facts(folder_.path()); }

 private:
  TemporaryDirectory folder_;
};

std::string processor(int number, int socket, int core) {
  return "processor\t: " + std::to_string(number) +
         "\nmodel name\t: Some CPU @ 2.00GHz\nphysical id\t: " + std::to_string(socket) +
         "\ncore id\t\t: " + std::to_string(core) + "\nflags\t\t: fpu hypervisor\n\n";
}

}  // namespace

TEST_CASE("Sockets, cores, nodes, clocks and pages of a machine are read", "[unit]") {
  const FakeMachine machine;
  std::string processors;
  for (int i = 0; i < 8; ++i) processors += processor(i, i / 4, i % 2);  // two sockets, cores of two threads
  machine.write("proc/cpuinfo", processors);
  machine.write("proc/meminfo", "MemTotal:       2048 kB\nMemFree:        1024 kB\n");
  machine.write("sys/devices/system/node/node0/cpulist", "0-3\n");
  machine.write("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       1536 kB\n");
  machine.write("sys/devices/system/node/node1/cpulist", "4-7\n");
  machine.write("sys/devices/system/node/node1/meminfo", "Node 1 MemTotal:       512 kB\n");
  const std::string clock = "sys/devices/system/cpu/cpu0/cpufreq/scaling_";
  machine.write(clock + "driver", "intel_pstate\n");
  machine.write(clock + "governor", "powersave\n");
  machine.write(clock + "min_freq", "800000\n");
  machine.write(clock + "max_freq", "3600000\n");
  machine.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  const HostFacts facts = machine.facts();
  CHECK(facts.processor == "Some CPU @ 2.00GHz");
  CHECK(facts.is_virtual);
  CHECK(facts.sockets == 2);
  CHECK(facts.cores == 4);
  CHECK(facts.processors == 8);
  CHECK(facts.memory_bytes == 2048 << 10);
  REQUIRE(facts.nodes.size() == 2);
  CHECK(facts.nodes[1].cpus == "4-7");
  CHECK(facts.nodes[1].memory_bytes == 512 << 10);
  REQUIRE(facts.clock);
  CHECK(facts.clock->driver == "intel_pstate");
  CHECK(facts.clock->governor == "powersave");
  CHECK(facts.clock->least_mhz == 800);
  CHECK(facts.clock->greatest_mhz == 3600);
  CHECK(facts.huge_pages == "madvise");
  CHECK(facts.kernel.starts_with("Linux "));
}

TEST_CASE("A machine that tells nothing, or nonsense, has facts that say so", "[unit]") {
  const FakeMachine machine;
  HostFacts facts = machine.facts();
  CHECK(facts.processor == "host processor");
  CHECK(facts.processors == 0);
  CHECK(facts.nodes.empty());
  CHECK(!facts.clock);
  CHECK(facts.huge_pages.empty());
  machine.write("proc/cpuinfo", ":\nprocessor\nflags :");
  machine.write("proc/meminfo", "MemTotal: much");
  machine.write("sys/kernel/mm/transparent_hugepage/enabled", "[");
  facts = machine.facts();
  CHECK(facts.processors == 0);
  CHECK(facts.memory_bytes == 0);
  CHECK(facts.huge_pages.empty());
}
