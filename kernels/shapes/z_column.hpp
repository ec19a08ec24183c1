/// The z column of a thread in registers: the values of u from R planes above the centre to R below, in two
/// ways. Both offer `push` (the plane R below the new centre has come) and `at(phase, m)` (the value m planes
/// from the centre), with `phase` as `march<period>` counts it.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// The values stay where they are; the register of a plane follows from the phase, known at compile time.
template <class Real, int R>
struct FixedColumn {
  static constexpr int period = 2 * R + 1;
  Real value[period] = {};
  [[nodiscard]] MINIMOD_HD Real& at(int phase, int m) { return value[(phase + m + period) % period]; }
  MINIMOD_HD void push(int phase, Real leading) { at(phase, R) = leading; }
};

/// The values move on by one register a plane; nothing depends on the phase.
template <class Real, int R>
struct ShiftingColumn {
  static constexpr int period = 1;
  Real value[2 * R + 1] = {};
  [[nodiscard]] MINIMOD_HD Real& at(int /*phase*/, int m) { return value[m + R]; }
  MINIMOD_HD void push(int /*phase*/, Real leading) {
#pragma unroll
    for (int m = 0; m < 2 * R; ++m) value[m] = value[m + 1];
    value[2 * R] = leading;
  }
};

}  // namespace minimod
