/// The kernels of a step and how their launches follow each other.
#pragma once

#include "kernels/code_shape.hpp"
#include "src/solver/schedules.hpp"

namespace minimod {

/// The shapes of a run, one for the inner box and one for the six PML regions, and when they run.
struct KernelSet {
  const CodeShape* inner = nullptr;
  const CodeShape* pml = nullptr;
  const Schedule* schedule = &sequence();
  [[nodiscard]] const CodeShape& of(Formula formula) const {
    return formula == Formula::inner ? *inner : *pml;
  }
};

}  // namespace minimod
