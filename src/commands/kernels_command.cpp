#include <cstdio>
#include <iostream>
#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernels/registry.hpp"
#include "src/base/error.hpp"
#include "src/base/screen.hpp"
#include "src/choice/device_choice.hpp"
#include "src/commands/command.hpp"
#include "src/commands/option_groups.hpp"

namespace minimod {

namespace {

using Json = nlohmann::ordered_json;

std::string tile_text(Extent3 tile) {
  if (tile.x == 0) return "-";
  const std::string xy = text(tile.x, 'x', tile.y);
  return tile.z > 0 ? text(xy, 'x', tile.z) : text(xy, " in z");
}

/// The host, and the first GPU, which may not be there or have no code in the program.
class Places {
 public:
  Places() {
    cpu_.kind = "cpu";
    gpu_.kind = "cuda";
    if (find_cuda_devices().count == 0) return;
    try {
      gpu_ = make_cuda_backend(0)->info();
    } catch (const Error& refusal) {
      if (refusal.code() != ExitCode::unavailable && refusal.code() != ExitCode::resource) throw;
      no_gpu_ = refusal.what();
    }
  }
  /// Why a shape does not run there, empty where it does.
  [[nodiscard]] std::string why_not_cpu(const CodeShape& shape) const { return why_not(shape, cpu_); }
  [[nodiscard]] std::string why_not_gpu(const CodeShape& shape) const {
    return no_gpu_.empty() ? why_not(shape, gpu_) : no_gpu_;
  }

 private:
  DeviceInfo cpu_, gpu_;
  std::string no_gpu_;
};

Json kernel_record(const CodeShape& shape, const Places& places) {
  const auto place = [](const std::string& reason) {
    return Json{{"runs", reason.empty()}, {"why_not", reason}};
  };
  return {{"name", shape.name},
          {"family", shape.family},
          {"summary", shape.summary},
          {"tile", {shape.tile.x, shape.tile.y, shape.tile.z}},
          {"threads", shape.threads},
          {"shared_bytes", shape.needs.shared_bytes},
          {"cpu", place(places.why_not_cpu(shape))},
          {"cuda", place(places.why_not_gpu(shape))}};
}

std::string place_text(const std::string& reason, Footnotes& notes) {
  return reason.empty() ? "yes" : "no " + notes.mark(reason);
}

/// Those of the names, or all that are built in.
std::vector<const CodeShape*> shapes_of(const std::vector<std::string>& names) {
  std::vector<const CodeShape*> shapes;
  shapes.reserve(names.size());
  for (const std::string& name : names) shapes.push_back(&find_shape(name));
  if (!names.empty()) return shapes;
  for (const CodeShape& shape : all_shapes()) shapes.push_back(&shape);
  return shapes;
}

void list_kernels(const std::vector<std::string>& names, bool as_json) {
  const std::vector<const CodeShape*> shapes = shapes_of(names);
  const Places places;
  if (as_json) {
    Json list = Json::array();
    for (const CodeShape* shape : shapes) list.push_back(kernel_record(*shape, places));
    std::cout << Json{{"schema", "minimod.kernels/1"}, {"kernels", list}}.dump(2) << '\n';
    return;
  }
  Footnotes notes;
  std::printf("%-31s %-20s %-11s %8s  %-7s %s\n", "name", "family", "tile", "shared", "cpu", "gpu");
  for (const CodeShape* shape : shapes) {
    std::printf("%-31s %-20s %-11s %6zu B  %-7s %s\n", shape->name.c_str(), shape->family.c_str(),
                tile_text(shape->tile).c_str(), shape->needs.shared_bytes,
                place_text(places.why_not_cpu(*shape), notes).c_str(),
                place_text(places.why_not_gpu(*shape), notes).c_str());
  }
  std::printf("%s", notes.lines().c_str());
}

}  // namespace

Command kernels_command() {
  return {"kernels", "list the code shapes and where they run here",
          [](OptionTable& table) -> std::function<void()> {
            const auto names = std::make_shared<std::vector<std::string>>();
            const auto as_json = std::make_shared<bool>(false);
            table.words("NAME", "these instead, with any tile of a family (all that are built in)", *names);
            add_as_json(table, *as_json);
            return [names, as_json] { list_kernels(*names, *as_json); };
          }};
}

}  // namespace minimod
