/// Least work of a kernel, from its formula: operations and bytes of memory a point.
#pragma once

#include <string>

#include "boundary/regions.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

/// Operations of a formula at a point, dead ones left out.
struct Operations {
  int additions = 0, multiplications = 0, fused = 0, divisions = 0;
  /// A fused multiply-add counts as two, a division as one.
  [[nodiscard]] int flop() const { return additions + multiplications + 2 * fused + divisions; }
  friend bool operator==(const Operations&, const Operations&) = default;
};

/// Operations of an equation with InnerUpdate or PmlUpdate, counted by running it on numbers that remember
/// how they were made.
[[nodiscard]] const Operations& operations_of(Formula formula, Equation equation = Equation::wave);

/// Model of a part of a step, for one step.
struct PartModel {
  double points = 0;        ///< points that it updates
  double flop = 0;          ///< the formula's and the shape's own
  double formula_flop = 0;  ///< the formula's alone
  double dram_bytes = 0;    ///< bytes that must move when all else hits a cache
  std::string extra_work;   ///< why the shape's operations are others, empty when they are not
};

/// Compulsory bytes a point: 16 in the inner box (u, u⁻, V² read, u⁺ written), 14 with V² in 16 bits, 10
/// where two steps are one launch; 24 in the PML (φ too), 28 with a 3-D η, 14 where two steps are one launch;
/// other equations' by values_of_point.
[[nodiscard]] PartModel model_of(const TimedPart& part, const KernelSet& kernels, const Regions& regions);

}  // namespace minimod
