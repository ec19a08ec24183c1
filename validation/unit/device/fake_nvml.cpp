/// A library with some of NVML's functions, over a card that a test sets: what the program asks of a driver.
#include "validation/unit/device/fake_nvml.hpp"

#include <cstring>

using minimod::FakeCard;

namespace {

enum : int { success = 0, not_supported = 3, not_found = 6 };

int told(bool has, auto value, auto* place) {
  if (!has) return not_supported;
  *place = value;
  return success;
}

}  // namespace

extern "C" {

FakeCard fake_card;

int nvmlInit_v2() {
  return fake_card.init_status;
}
int nvmlShutdown() {
  ++fake_card.shutdowns;
  return success;
}
const char* nvmlErrorString(int status) {
  return status == 9 ? "Driver Not Loaded" : "Unknown Error";
}
int nvmlSystemGetDriverVersion(char* version, unsigned size) {
  std::strncpy(version, "570.00", size);
  return success;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  if (std::strcmp(bus, "0000:17:00.0") != 0) return not_found;
  *device = &fake_card;
  return success;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  return told(fake_card.has_counter, fake_card.millijoules += fake_card.millijoules_a_read, millijoules);
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  return told(fake_card.has_power, fake_card.milliwatts, milliwatts);
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  return told(true, 700000U, milliwatts);
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  return told(true, type == 1 ? fake_card.clock_mhz : 3201U, mhz);
}
int nvmlDeviceGetMaxClockInfo(void*, int type, unsigned* mhz) {
  return told(type == 1, 1980U, mhz);
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  return told(true, 61U, celsius);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  return told(true, fake_card.reasons, reasons);
}
int nvmlDeviceGetEccMode(void*, int* now, int* later) {
  *later = 0;
  return told(true, 1, now);
}
// No nvmlDeviceGetMigMode, as in older drivers.
int nvmlDeviceGetPersistenceMode(void*, int* mode) {
  return told(true, 0, mode);
}
}
