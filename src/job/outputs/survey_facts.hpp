/// Where a run has its source and its receivers, in a line each for the log.
#pragma once

#include <string>

#include "src/job/plan/plan.hpp"

namespace minimod {

/// "2 s", or "-0.2 to 1.8 s" where the run begins before t = 0.
[[nodiscard]] std::string time_span_fact(const RunPlan& plan);

/// "ricker, f = 10 Hz, t0 = 0.15 s; greatest at 0.15 s".
[[nodiscard]] std::string wavelet_fact(const RunPlan& plan);

/// "(390, 390, 5) m, moved by 1 m to the nearest node", of several "3 in x 0..500, y 300, z 10 m".
[[nodiscard]] std::string source_fact(const RunPlan& plan);

/// "order 8", or "order 8 by minimax weights".
[[nodiscard]] std::string difference_fact(Difference difference);

/// "time dispersion corrected in wavelet and traces".
[[nodiscard]] std::string dispersion_fact(const RunPlan& plan);

/// "101 in x 0..500, y 300, z 10 m; 1001 samples every 2 ms".
[[nodiscard]] std::string receivers_fact(const RunPlan& plan);

}  // namespace minimod
