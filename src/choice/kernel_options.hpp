/// What the user decides about device and kernels.
#pragma once

#include <string>
#include <vector>

#include "boundary/decomposition.hpp"
#include "kernels/equation_names.hpp"
#include "kernels/grid.hpp"
#include "src/solver/schedules.hpp"

namespace minimod {

/// Which device a run takes.
struct DeviceOption {
  enum class Kind { automatic, cpu, cuda } kind = Kind::automatic;
  int index = 0;                 ///< of the GPU
  std::vector<int> others = {};  ///< more GPUs, for a survey
  bool all = false;              ///< of the GPUs, for a survey
};

/// Which kernels run there, and how.
struct KernelOptions {
  std::string kernel = "auto";
  std::string pml_kernel;  ///< empty: as `kernel`
  DeviceOption device;
  int order = 2 * stencil_radius;  ///< of the spatial difference
  Precision precision = Precision::float32;
  Equation equation = Equation::wave;
  bool emulate = false;
  Decomposition decomposition = Decomposition::seven;
  const Schedule* schedule = nullptr;  ///< null: what the kernels are made for

  [[nodiscard]] int radius() const { return order / 2; }
};

}  // namespace minimod
