/// Problem of a roofline: kernels of subjects on a device, and the parameters by which they run again for a
/// profiler.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/measure/subject.hpp"
#include "src/roofline/roofline.hpp"

namespace minimod {

using Words = std::vector<std::string>;

struct RooflineGroup : MeasuredGroup {
  std::function<Parameters(const Words& names)> parameters;  ///< by which a call runs these of them
};

struct RooflineProblem {
  DeviceInfo device;
  DeviceOption asked;  ///< option that chose the device
  std::vector<Ceiling> ceilings;
  std::string title;            ///< in words
  std::string facts;            ///< members of the record, in JSON
  double points = 0;            ///< points that a step updates
  std::string why_not_counted;  ///< no profiler is asked; empty where one may be
  Parameters small_parameters;  ///< parameters of a small run
  std::vector<RooflineGroup> groups;
  std::vector<NotRun> not_run;

  /// By which a call runs these steps for a profiler.
  [[nodiscard]] Parameters steps(const Parameters& parameters, StepRange range) const;
};

inline constexpr int roofline_launches = 30;  ///< timed ones of each kernel

/// Problem of the wave equation's code shapes; `options` outlive it. Errors: 64 as bench, 69, 71.
[[nodiscard]] RooflineProblem wave_roofline(const RooflineOptions& options);
/// Problem of stencils' kernels. Errors: 64 no such kernels, 66, 69, 71.
[[nodiscard]] RooflineProblem stencil_roofline(const RooflineOptions& options);

}  // namespace minimod
