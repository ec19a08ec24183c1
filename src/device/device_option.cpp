#include "src/device/device_option.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/device/backend.hpp"

namespace minimod {

namespace {

const std::string numbered = std::string(gpu_kind) + ':', all_gpus = numbered + "all";

/// The kinds of GPUs that builds of the program have, and how one gets each.
struct BuiltKind {
  std::string_view kind, build_with;
};
constexpr BuiltKind built_kinds[] = {{"cuda", "MINIMOD_ARCHITECTURES=all"},
                                     {"hip", "MINIMOD_ARCHITECTURES=gfx90a"},
                                     {"kokkos", "CMake's -D MINIMOD_GPU=kokkos"}};

}  // namespace

DeviceOption parse_device(const std::string& value, bool may_repeat) {
  using Kind = DeviceOption::Kind;
  if (value == "auto") return {};
  if (value == cpu_kind) return {Kind::cpu};
  if (value == gpu_kind) return {Kind::gpu};
  if (value == all_gpus) return {Kind::gpu, 0, {}, true};
  if (value.starts_with(numbered)) {
    constexpr int most = std::numeric_limits<int>::max();
    std::vector<int> gpus;
    for (const std::string_view number : split(std::string_view(value).substr(numbered.size()), ',')) {
      gpus.push_back(static_cast<int>(parse_integer(number, option("device") + ' ' + numbered, 0, most)));
      if (!may_repeat && std::ranges::count(gpus, gpus.back()) > 1) {
        throw Error(ErrorKind::parameter, text(option("device"), " names GPU ", gpus.back(), " twice"),
                    "name it once");
      }
    }
    return {Kind::gpu, gpus.front(), {gpus.begin() + 1, gpus.end()}};
  }
  const auto* const other =
      std::ranges::find(built_kinds, std::string_view(value).substr(0, value.find(':')), &BuiltKind::kind);
  if (other != std::end(built_kinds) && other->kind != gpu_kind) {
    throw Error(ErrorKind::unavailable,
                text(option("device"), " is '", escaped(value), "', and this program was built without it"),
                text("build with ", other->build_with, ", or use ", option("device"), " ", cpu_kind));
  }
  throw Error(ErrorKind::parameter, text(option("device"), " is '", escaped(value), "'"),
              text("give auto, ", cpu_kind, ", ", gpu_kind, ", ", numbered, "N, or for a survey ", all_gpus,
                   " or ", numbered, "0,2"));
}

bool goes_to_gpu(const DeviceOption& device) {
  using Kind = DeviceOption::Kind;
  return device.kind == Kind::gpu || (device.kind == Kind::automatic && gpu_devices.find().count > 0);
}

std::unique_ptr<Backend> make_backend(const DeviceOption& device) {
  return goes_to_gpu(device) ? gpu_devices.make(device.index) : make_host_backend();
}

std::string gpus_text(std::span<const int> gpus) {
  std::string list;
  for (const int gpu : gpus) list += text(list.empty() ? "" : ",", gpu);
  return numbered + list;
}

std::string one_gpu_text() {
  return text(gpu_kind, " or ", numbered, 'N');
}

std::string several_gpus_text() {
  return gpus_text(std::array{0, 1});
}

}  // namespace minimod
