/// Decisions of the user about device and kernels.
#pragma once

#include <string>

#include "boundary/decomposition.hpp"
#include "kernels/equation_names.hpp"
#include "kernels/grid.hpp"
#include "src/device/device_option.hpp"
#include "src/solver/schedules.hpp"

namespace minimod {

/// Kernels that run there, and how.
struct KernelOptions {
  std::string kernel = "auto";
  std::string pml_kernel;  ///< empty: as `kernel`
  DeviceOption device;
  int order = 2 * stencil_radius;  ///< order of the spatial difference
  Precision precision = Precision::float32;
  Equation equation = Equation::wave;
  bool emulate = false;
  Decomposition decomposition = Decomposition::seven;
  const Schedule* schedule = nullptr;  ///< null: what the kernels are made for

  [[nodiscard]] int radius() const { return order / 2; }
};

}  // namespace minimod
