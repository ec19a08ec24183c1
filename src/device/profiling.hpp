/// Marks in a run for a profiler: named regions and the steps it is switched on for.
#pragma once

#include <optional>
#include <string>

#include "src/device/backend.hpp"

namespace minimod {

/// A region that Kokkos Tools see and, where the program was built with NVTX, NVIDIA's profilers; it ends
/// with the object. Regions nest: step, launch ("inner", "top", …), kernel (the code shape's name).
class ProfilingRegion {
 public:
  explicit ProfilingRegion(const std::string& name);
  ProfilingRegion(const ProfilingRegion&) = delete;
  ProfilingRegion& operator=(const ProfilingRegion&) = delete;
  ~ProfilingRegion();
};

/// Steps begin, …, end - 1.
struct StepRange {
  int begin = 0, end = 0;
};

/// Switches a profiler that waits for it (ncu --profile-from-start off) on for some steps.
class ProfiledSteps {
 public:
  ProfiledSteps(Backend& backend, const std::optional<StepRange>& range)
      : backend_(&backend), range_(range) {}
  ProfiledSteps(ProfiledSteps&& other) noexcept
      : backend_(other.backend_), range_(other.range_), on_(std::exchange(other.on_, false)) {}
  ProfiledSteps& operator=(ProfiledSteps&&) = delete;
  ~ProfiledSteps();
  /// To be called before each step, with its number.
  void before(int step);

 private:
  Backend* backend_;
  std::optional<StepRange> range_;
  bool on_ = false;
};

}  // namespace minimod
