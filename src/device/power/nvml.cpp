#include "src/device/power/nvml.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include <dlfcn.h>

#include "src/base/error.hpp"

namespace minimod {

// Types and numbers as in NVIDIA's nvml.h, whose functions they are handed to.
namespace {

using Device = void*;
enum : int { success = 0, sm_clock = 1, memory_clock = 2, gpu_sensor = 0, version_size = 80 };

/// Reasons of nvmlDeviceGetCurrentClocksThrottleReasons by their bits; an idle GPU is not throttled.
constexpr std::pair<std::uint64_t, const char*> throttle_names[] = {
    {0x02, "applications clocks"},  {0x04, "power cap"},        {0x08, "hardware slowdown"},
    {0x10, "sync boost"},           {0x20, "software thermal"}, {0x40, "hardware thermal"},
    {0x80, "hardware power brake"}, {0x100, "display clocks"}};

}  // namespace

/// Functions of the library, null where this version lacks one.
struct NvmlFunctions {
  void* library = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;
  int (*device)(const char*, Device*) = nullptr;
  int (*total_energy)(Device, unsigned long long*) = nullptr;  // mJ
  int (*power)(Device, unsigned*) = nullptr;                   // mW
  int (*power_cap)(Device, unsigned*) = nullptr;               // mW
  int (*clock)(Device, int, unsigned*) = nullptr;              // MHz
  int (*most_clock)(Device, int, unsigned*) = nullptr;         // MHz
  int (*temperature)(Device, int, unsigned*) = nullptr;        // °C
  int (*throttle)(Device, unsigned long long*) = nullptr;
  int (*ecc)(Device, int*, int*) = nullptr;
  int (*mig)(Device, unsigned*, unsigned*) = nullptr;
  int (*persistence)(Device, int*) = nullptr;

  NvmlFunctions() = default;
  NvmlFunctions(const NvmlFunctions&) = delete;
  NvmlFunctions& operator=(const NvmlFunctions&) = delete;
  ~NvmlFunctions() {
    if (library != nullptr) dlclose(library);
  }

  template <class Function>
  void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(dlsym(library, name));
  }

  void find_all() {
    find(init, "nvmlInit_v2");
    find(shutdown, "nvmlShutdown");
    find(error_text, "nvmlErrorString");
    find(driver, "nvmlSystemGetDriverVersion");
    find(device, "nvmlDeviceGetHandleByPciBusId_v2");
    find(total_energy, "nvmlDeviceGetTotalEnergyConsumption");
    find(power, "nvmlDeviceGetPowerUsage");
    find(power_cap, "nvmlDeviceGetEnforcedPowerLimit");
    find(clock, "nvmlDeviceGetClockInfo");
    find(most_clock, "nvmlDeviceGetMaxClockInfo");
    find(temperature, "nvmlDeviceGetTemperature");
    find(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    find(ecc, "nvmlDeviceGetEccMode");
    find(mig, "nvmlDeviceGetMigMode");
    find(persistence, "nvmlDeviceGetPersistenceMode");
  }

  [[nodiscard]] Device find_gpu(const std::string& pci_bus_id) const {
    Device found = nullptr;
    return device(pci_bus_id.c_str(), &found) == success ? found : nullptr;
  }
};

namespace {

/// Value that a function tells, times `unit`; nothing where it is missing or refuses. `before`: what it is
/// given ahead of the place of its value.
template <class Value, class Function, class... Before>
std::optional<double> told(Function function, double unit, Before... before) {
  Value value = 0;
  if (function == nullptr || function(before..., &value) != success) return std::nullopt;
  return unit * static_cast<double>(value);
}

/// Whether a mode is on now; `function` tells the one after the next start, too.
template <class Mode>
std::optional<bool> is_on(int (*function)(Device, Mode*, Mode*), Device device) {
  Mode now = 0, later = 0;
  if (function == nullptr || function(device, &now, &later) != success) return std::nullopt;
  return now != 0;
}

class NvmlPower final : public PowerSource {
 public:
  NvmlPower(const NvmlFunctions& functions, Device device)
      : functions_(functions),
        device_(device),
        has_counter_(told<unsigned long long>(functions.total_energy, 1, device).has_value()),
        has_power_(told<unsigned>(functions.power, 1, device).has_value()) {}

  [[nodiscard]] PowerState read() override {
    PowerState state;
    if (has_counter_) state.joules = told<unsigned long long>(functions_.total_energy, 1e-3, device_);
    state.watts = told<unsigned>(functions_.power, 1e-3, device_);
    state.clock_mhz = told<unsigned>(functions_.clock, 1, device_, sm_clock);
    state.memory_clock_mhz = told<unsigned>(functions_.clock, 1, device_, memory_clock);
    state.celsius = told<unsigned>(functions_.temperature, 1, device_, gpu_sensor);
    unsigned long long reasons = 0;
    if (functions_.throttle != nullptr && functions_.throttle(device_, &reasons) == success)
      state.throttled = reasons;
    return state;
  }

  [[nodiscard]] std::string how() const override {
    if (has_counter_) return "NVML, the GPU's counter of energy";
    return has_power_ ? "NVML, samples of power: the GPU has no counter of energy" : "";
  }
  [[nodiscard]] std::string why_no_energy() const override {
    return tells_energy() ? "" : "the GPU tells NVML neither energy nor power";
  }
  [[nodiscard]] std::vector<std::string> names_of(std::uint64_t throttled) const override {
    std::vector<std::string> names;
    for (const auto& [bit, name] : throttle_names) {
      if ((throttled & bit) != 0) names.emplace_back(name);
    }
    return names;
  }

 private:
  const NvmlFunctions& functions_;
  Device device_;
  bool has_counter_, has_power_;
};

}  // namespace

Nvml::Nvml(const std::string& file) : functions_(std::make_unique<NvmlFunctions>()) {
  functions_->library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (functions_->library == nullptr) {
    why_none_ = text("there is no ", file);
    return;
  }
  functions_->find_all();
  if (functions_->init == nullptr || functions_->device == nullptr) {
    why_none_ = text(file, " is no NVML");
    return;
  }
  const int status = functions_->init();
  if (status == success) return;
  const bool has_words = functions_->error_text != nullptr;
  why_none_ = text("NVML: ", has_words ? functions_->error_text(status) : text("error ", status));
}

Nvml::~Nvml() {
  if (why_none_.empty() && functions_->shutdown != nullptr) functions_->shutdown();
}

std::optional<GpuSettings> Nvml::settings(const std::string& pci_bus_id) const {
  if (!why_none_.empty()) return std::nullopt;
  const NvmlFunctions& f = *functions_;
  const Device device = f.find_gpu(pci_bus_id);
  if (device == nullptr) return std::nullopt;
  GpuSettings found;
  std::array<char, version_size> version{};
  if (f.driver != nullptr && f.driver(version.data(), version.size()) == success)
    found.driver = version.data();
  found.power_cap_watts = told<unsigned>(f.power_cap, 1e-3, device);
  found.watts = told<unsigned>(f.power, 1e-3, device);
  found.celsius = told<unsigned>(f.temperature, 1, device, gpu_sensor);
  found.clock_mhz = told<unsigned>(f.clock, 1, device, sm_clock);
  found.most_clock_mhz = told<unsigned>(f.most_clock, 1, device, sm_clock);
  found.memory_clock_mhz = told<unsigned>(f.clock, 1, device, memory_clock);
  found.most_memory_clock_mhz = told<unsigned>(f.most_clock, 1, device, memory_clock);
  found.ecc = is_on(f.ecc, device);
  found.mig = is_on(f.mig, device);
  if (const auto mode = told<int>(f.persistence, 1, device)) found.persistence = *mode != 0;
  return found;
}

std::unique_ptr<PowerSource> Nvml::power_of(const std::string& pci_bus_id) const {
  const Device device = why_none_.empty() ? functions_->find_gpu(pci_bus_id) : nullptr;
  return device == nullptr ? nullptr : std::make_unique<NvmlPower>(*functions_, device);
}

const Nvml& nvml() {
  static const Nvml library;
  return library;
}

}  // namespace minimod
