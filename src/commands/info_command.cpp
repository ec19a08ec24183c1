#include <iostream>
#include <memory>

#include "src/base/json.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/job/outputs/machine_record.hpp"
#include "src/job/outputs/record.hpp"

namespace minimod {

namespace {

void print(const char* title, const Json& values) {
  std::cout << title << '\n';
  for (const auto& [key, value] : values.members()) std::cout << "  " << key << ": " << value << '\n';
}

void show_info(bool as_json) {
  Json record{{"schema", "minimod.info/1"}, {"build", build_record()}, {"devices", Json::array()}};
  const DevicesFound gpus = gpu_devices.find();
  for (const DeviceKind* kind : device_kinds) {
    for (int i = 0; i < kind->find().count; ++i) record["devices"].push_back(device_record(*kind, i));
  }
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
