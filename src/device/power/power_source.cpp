#include "src/device/power/power_source.hpp"

#include <utility>

#include "src/device/backend.hpp"
#include "src/device/power/nvml.hpp"
#include "src/device/power/rapl.hpp"

namespace minimod {

namespace {

/// Nothing but the reason.
class NoPower final : public PowerSource {
 public:
  explicit NoPower(std::string why) : why_(std::move(why)) {}
  [[nodiscard]] PowerState read() override { return {}; }
  [[nodiscard]] std::string how() const override { return ""; }
  [[nodiscard]] std::string why_no_energy() const override { return why_; }
  [[nodiscard]] std::vector<std::string> names_of(std::uint64_t /*throttled*/) const override { return {}; }

 private:
  std::string why_;
};

}  // namespace

std::unique_ptr<PowerSource> make_power_source(const DeviceInfo& device) {
  if (!device.is_gpu()) return make_rapl();
  if (!nvml().why_none().empty()) return std::make_unique<NoPower>(nvml().why_none());
  auto found = nvml().power_of(device.pci_bus_id);
  return found != nullptr ? std::move(found) : std::make_unique<NoPower>("NVML does not know the GPU");
}

}  // namespace minimod
