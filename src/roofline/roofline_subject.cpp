#include "src/roofline/roofline_subject.hpp"

#include <filesystem>

#include "src/base/error.hpp"

namespace minimod {

bool goes_to_gpu(const DeviceOption& device) {
  return device.kind != DeviceOption::Kind::cpu && find_cuda_devices().count > 0;
}

std::vector<std::string> own_roofline(const DeviceOption& device) {
  return {std::filesystem::read_symlink("/proc/self/exe").string(), "roofline", "--device",
          goes_to_gpu(device) ? text("cuda:", device.index) : "cpu"};
}

}  // namespace minimod
