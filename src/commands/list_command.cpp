#include "src/commands/list_command.hpp"

#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "kernels/registry.hpp"
#include "src/base/error.hpp"
#include "src/choice/device_choice.hpp"
#include "src/shot/record.hpp"

namespace minimod {

namespace {

using Json = nlohmann::ordered_json;

std::string tile_text(Extent3 tile) {
  if (tile.x == 0) return "-";
  const std::string xy = text(tile.x, 'x', tile.y);
  return tile.z > 0 ? text(xy, 'x', tile.z) : text(xy, " in z");
}

/// The host, and the first GPU, which may not be there.
struct Places {
  DeviceInfo cpu, gpu;
  Places() {
    cpu.kind = "cpu";
    gpu.kind = "cuda";
    if (find_cuda_devices().count > 0) gpu = make_cuda_backend(0)->info();
  }
};

Json kernel_record(const CodeShape& shape, const Places& places) {
  const auto place = [&](const DeviceInfo& device) {
    const std::string reason = why_not(shape, device);
    return Json{{"runs", reason.empty()}, {"why_not", reason}};
  };
  return {{"name", shape.name},       {"family", shape.family},
          {"summary", shape.summary}, {"tile", {shape.tile.x, shape.tile.y, shape.tile.z}},
          {"threads", shape.threads}, {"shared_bytes", shape.needs.shared_bytes},
          {"cpu", place(places.cpu)}, {"cuda", place(places.gpu)}};
}

std::string place_text(const CodeShape& shape, const DeviceInfo& device) {
  const std::string reason = why_not(shape, device);
  return reason.empty() ? "yes" : reason;
}

}  // namespace

void list_kernels(bool as_json) {
  const Places places;
  if (as_json) {
    Json list = Json::array();
    for (const CodeShape& shape : all_shapes()) list.push_back(kernel_record(shape, places));
    std::cout << Json{{"schema", "minimod.kernels/1"}, {"kernels", list}}.dump(2) << '\n';
    return;
  }
  std::printf("%-31s %-20s %-11s %7s  %-20s %s\n", "name", "family", "tile", "shared", "cpu", "gpu");
  for (const CodeShape& shape : all_shapes()) {
    std::printf("%-31s %-20s %-11s %5zu B  %-20s %s\n", shape.name.c_str(), shape.family.c_str(),
                tile_text(shape.tile).c_str(), shape.needs.shared_bytes,
                place_text(shape, places.cpu).c_str(), place_text(shape, places.gpu).c_str());
  }
}

void show_info(bool as_json) {
  Json record{{"schema", "minimod.info/1"}, {"build", build_record()}, {"devices", Json::array()}};
  const CudaDevices gpus = find_cuda_devices();
  for (int i = 0; i < gpus.count; ++i)
    record["devices"].push_back(device_record(make_cuda_backend(i)->info()));
  record["devices"].push_back(device_record(make_host_backend()->info()));
  record["no_gpu"] = gpus.why_none;
  if (as_json) {
    std::cout << record.dump(2) << '\n';
    return;
  }
  const auto print = [](const char* title, const Json& values) {
    std::cout << title << '\n';
    for (const auto& [key, value] : values.items()) std::cout << "  " << key << ": " << value << '\n';
  };
  print("build", record["build"]);
  for (const Json& device : record["devices"]) print("device", device);
  if (gpus.count == 0) std::cout << "no GPU: " << gpus.why_none << '\n';
}

}  // namespace minimod
