#include "src/job/outputs/machine_record.hpp"

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/process/threads.hpp"
#include "src/device/host_facts.hpp"
#include "src/device/power/nvml.hpp"
#include "src/job/outputs/record.hpp"

namespace minimod {

namespace {

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

Json host_record() {
  const HostFacts facts = host_facts();
  Json nodes = Json::array(), clock;
  for (const NumaNode& node : facts.nodes) {
    nodes.push_back({{"processors", node.cpus}, {"memory_bytes", node.memory_bytes}});
  }
  if (const auto& c = facts.clock) {
    clock = {{"driver", c->driver},
             {"governor", c->governor},
             {"least_mhz", c->least_mhz},
             {"greatest_mhz", c->greatest_mhz}};
  }
  return {{"processor", facts.processor},
          {"virtual_machine", facts.is_virtual},
          {"sockets", facts.sockets},
          {"cores", facts.cores},
          {"processors", facts.processors},
          {"processors_allowed", available_threads()},
          {"memory_bytes", facts.memory_bytes},
          {"numa_nodes", nodes},
          {"clock", clock},
          {"huge_pages", facts.huge_pages},
          {"kernel", facts.kernel},
          {"c_library", facts.c_library}};
}

Json device_record(const DeviceKind& kind, int index) {
  try {
    return device_record(kind.make(index)->info());
  } catch (const Error& refusal) {
    if (refusal.kind() != ErrorKind::unavailable && refusal.kind() != ErrorKind::resource) throw;
    return {{"kind", kind.name}, {"index", index}, {"why_not", refusal.what()}};
  }
}

Json gpu_state_record(const DeviceInfo& gpu) {
  if (!nvml().why_none().empty()) return {{"why_not", nvml().why_none()}};
  const auto facts = nvml().settings(gpu.pci_bus_id);
  if (!facts) return {{"why_not", "NVML does not know the GPU"}};
  return {{"driver", facts->driver},
          {"power_cap_watts", or_null(facts->power_cap_watts)},
          {"watts", or_null(facts->watts)},
          {"celsius", or_null(facts->celsius)},
          {"clock_mhz", or_null(facts->clock_mhz)},
          {"most_clock_mhz", or_null(facts->most_clock_mhz)},
          {"memory_clock_mhz", or_null(facts->memory_clock_mhz)},
          {"most_memory_clock_mhz", or_null(facts->most_memory_clock_mhz)},
          {"ecc", or_null(facts->ecc)},
          {"mig", or_null(facts->mig)},
          {"persistence", or_null(facts->persistence)}};
}

}  // namespace minimod
