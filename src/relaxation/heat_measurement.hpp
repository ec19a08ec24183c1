/// Kernels on a plate: that they are right, how fast they converge, how fast they are.
#pragma once

#include <vector>

#include "src/base/json.hpp"
#include "src/measure/table.hpp"
#include "src/measure/timing.hpp"
#include "src/relaxation/heat_options.hpp"

namespace minimod::relaxation {

/// Subject of a measurement, with all defaults decided.
struct HeatSetup {
  HeatProblem problem;
  double omega = 1, tolerance = 0;
  Precision precision = Precision::float32;
  int iterations = 100, repeats = 7;

  [[nodiscard]] std::unique_ptr<PlateSolver> solver(Backend& backend, const Kernel& kernel) const {
    return make_plate_solver(backend, kernel, problem, omega, precision);
  }
  [[nodiscard]] StopRule stop_rule() const { return make_stop_rule(problem, omega, tolerance); }
};

/// Whether the kernel leaves the bits of the portable one after 20 iterations on 61 x 45 random nodes;
/// `sequential`, whose order is another, passes when it comes to the same field in double precision.
[[nodiscard]] bool is_right(Backend& backend, const Kernel& kernel, Precision precision);

/// The greatest difference from the series among up to 64 x 64 nodes of the inner half of the plate, relative
/// to the problem's scale. Beside the corners, where sides of two temperatures meet, no grid resolves the
/// solution: there the error does not fall.
[[nodiscard]] double error_of(const HeatProblem& problem, const std::vector<double>& temperatures);

/// How the records below are shown.
extern const Table table_of_heat;

/// The record of a kernel: how it converges, the error of the field then, and the spread of timed runs with
/// and without copies, behind one that is not timed. `copy_rate`: of the device's memory, GB/s.
[[nodiscard]] Json measure_heat(Backend& backend, const Kernel& kernel, const HeatSetup& setup,
                                double copy_rate);

/// Bytes a node and iteration at least, of memory whose lines are moved whole: all values are read twice, and
/// those of a colour written, which has lines of its own or shares them with the other.
[[nodiscard]] double bytes_of_node(const Kernel& kernel, Precision precision);

/// Tables I to III and figure 7 of Itu et al. 2011 anew, with the paper's figures beside them: I with the
/// first of the kernels, II with all, both on the fine grid, III with the fastest against the host's
/// `sequential` and `kokkos`. For the record.
[[nodiscard]] Json make_heat_tables(Backend& backend, const std::vector<const Kernel*>& kernels,
                                    const Kernel& fastest, const HeatSetup& setup);

}  // namespace minimod::relaxation
