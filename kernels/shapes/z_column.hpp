/// The z column of a point in registers: the values of an array from `Lower` planes above the centre to
/// `Upper` below, in two ways. Both offer `push` (the plane `Upper` below the new centre has come) and
/// `at(phase, m)` (the value m planes from the centre), with `phase` as `march<period>` counts it.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// The values stay where they are; the register of a plane follows from the phase, known at compile time.
template <class Value, int Lower, int Upper>
struct FixedColumn {
  static constexpr int depth = Lower + Upper + 1;
  Value value[depth] = {};
  [[nodiscard]] MINIMOD_HD Value& at(int phase, int m) { return value[(phase + m + depth) % depth]; }
  MINIMOD_HD void push(int phase, Value leading) { at(phase, Upper) = leading; }
};

/// The values move on by one register a plane; nothing depends on the phase.
template <class Value, int Lower, int Upper>
struct ShiftingColumn {
  Value value[Lower + Upper + 1] = {};
  [[nodiscard]] MINIMOD_HD Value& at(int /*phase*/, int m) { return value[m + Lower]; }
  MINIMOD_HD void push(int /*phase*/, Value leading) {
#pragma unroll
    for (int m = 0; m < Lower + Upper; ++m) value[m] = value[m + 1];
    value[Lower + Upper] = leading;
  }
};

}  // namespace minimod
