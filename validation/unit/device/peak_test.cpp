/// Where the magnitude of a field is greatest, as every device finds it.
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "validation/unit/device/peak_checks.hpp"

using namespace minimod;

TEST_CASE("The peak of a field on the host", "[unit]") {
  const auto host = make_host_backend();
  peaks::check_peaks(*host);
}

TEST_CASE("A field at rest has a peak of 0 in the box", "[unit]") {
  const auto host = make_host_backend();
  const DeviceReals field(*host, peaks::grid.layout.size, Precision::float32);
  host->field_kernels().start_peak({field.at(), peaks::grid.layout}, peaks::odd_box);
  const Peak peak = host->field_kernels().take_peak(false).value();
  CHECK(peak.magnitude() == 0);
  CHECK(peaks::odd_box.contains(peak.node));
}

TEST_CASE("A peak is taken once", "[unit]") {
  const auto host = make_host_backend();
  CHECK_FALSE(host->field_kernels().take_peak(true));
  static_cast<void>(peaks::peak_of(*host, {}));
  CHECK_FALSE(host->field_kernels().take_peak(true));
}

TEST_CASE("The peak of a field on the GPU is the host's", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto host = make_host_backend(), gpu = gpu_devices.make(0);
  peaks::check_peaks(*gpu);
  const Peak expected = peaks::peak_of(*host, {}), peak = peaks::peak_of(*gpu, {});
  CHECK(peak.bits == expected.bits);
  CHECK_FALSE(gpu->field_kernels().take_peak(true));
}

TEST_CASE("A peak is found behind the launches, while the host goes on, on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const std::vector<float> random = peaks::random_field();
  const DeviceReals field(*gpu, {random.begin(), random.end()}, Precision::float32);
  gpu->field_kernels().start_peak({field.at(), peaks::grid.layout}, peaks::odd_box);
  gpu->clear(field.data(), field.bytes());
  std::optional<Peak> peak;
  while (!(peak = gpu->field_kernels().take_peak(false))) std::this_thread::yield();
  CHECK(peak->magnitude() > 0.9F);
  gpu->field_kernels().start_peak({field.at(), peaks::grid.layout}, peaks::odd_box);
  CHECK(gpu->field_kernels().take_peak(true).value().magnitude() == 0);
}
