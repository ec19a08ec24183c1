/// Facts of a device in records.
#include <catch2/catch_test_macros.hpp>

#include "src/job/outputs/record.hpp"

namespace minimod {
namespace {

TEST_CASE("A record names the architecture of a GPU that has no compute capability", "[unit]") {
  DeviceInfo gpu{};
  gpu.kind = gpu_kind;
  gpu.architecture = "gfx90a:sramecc+:xnack-";
  const Json amd = device_record(gpu);
  CHECK(amd["architecture"] == "gfx90a:sramecc+:xnack-");
  CHECK_FALSE(amd.contains("compute_capability"));
  gpu.architecture = "sm_90";
  gpu.compute_capability = {9, 0};
  const Json nvidia = device_record(gpu);
  CHECK(nvidia["compute_capability"] == "9.0");
  CHECK_FALSE(nvidia.contains("architecture"));
}

}  // namespace
}  // namespace minimod
