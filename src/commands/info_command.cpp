#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/job/outputs/record.hpp"

namespace minimod {

namespace {

/// A device, or why the program cannot use it.
Json record_of(const char* kind, int index, const auto& make_backend) {
  try {
    return device_record(make_backend()->info());
  } catch (const Error& refusal) {
    if (refusal.kind() != ErrorKind::unavailable && refusal.kind() != ErrorKind::resource) throw;
    return {{"kind", kind}, {"index", index}, {"why_not", refusal.what()}};
  }
}

void print(const char* title, const Json& values) {
  std::cout << title << '\n';
  for (const auto& [key, value] : values.items()) std::cout << "  " << key << ": " << value << '\n';
}

void show_info(bool as_json) {
  Json record{{"schema", "minimod.info/1"}, {"build", build_record()}, {"devices", Json::array()}};
  const CudaDevices gpus = find_cuda_devices();
  for (int i = 0; i < gpus.count; ++i) {
    record["devices"].push_back(record_of(gpu_kind, i, [i] { return make_cuda_backend(i); }));
  }
  record["devices"].push_back(record_of(cpu_kind, 0, make_host_backend));
  record["no_gpu"] = gpus.why_none;
  if (as_json) {
    std::cout << record.dump(2) << '\n';
    return;
  }
  print("build", record["build"]);
  for (const Json& device : record["devices"]) print("device", device);
  if (gpus.count == 0) std::cout << "no GPU: " << gpus.why_none << '\n';
}

}  // namespace

Command info_command() {
  return {"info", "say what this build and this machine are",
          [](OptionTable& table) -> std::function<void()> {
            const auto as_json = std::make_shared<bool>(false);
            add_as_json(table, *as_json);
            return [as_json] { show_info(*as_json); };
          }};
}

}  // namespace minimod
