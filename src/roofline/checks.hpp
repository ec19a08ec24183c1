/// Checks that a right measurement passes.
#pragma once

#include "src/roofline/row.hpp"

namespace minimod {

/// The checks that fail on a row that is derived; what was not measured is not checked:
///   flop    counted over the formula's operations from 0.95 to 1.15, unless the shape explains others
///   launch  blocks, threads and registers that the profiler saw are those of the launch
///   fp64    no instruction in double precision where floats are computed
///   dram    bytes of DRAM at least 0.98 of the compulsory ones, less what an L2 of `l2_bytes` keeps from the
///           launch before and for the one behind
///   levels  L1 ≥ L2 bytes to and from the multiprocessors; all of the L2's sectors ≥ DRAM bytes
///   roof    no rate above the best of the ceilings: such a ceiling was measured too low, or the count is
///   wrong time    the profiler's time within 10 % of the events'
[[nodiscard]] std::vector<Flag> failed_checks(const Row& row, const std::vector<Ceiling>& ceilings,
                                              double l2_bytes = 0);

}  // namespace minimod
