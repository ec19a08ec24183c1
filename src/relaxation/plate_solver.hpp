/// A plate on a device, relaxed by one kernel.
#pragma once

#include <memory>
#include <vector>

#include "kernels/relaxation/relaxation_kernels.hpp"
#include "src/device/backend.hpp"
#include "src/relaxation/heat_problem.hpp"

namespace minimod::relaxation {

/// When a relaxation ends.
struct StopRule {
  /// Limit of the greatest defect (PlateArgs::defect), relative to the problem's scale.
  double tolerance = 0;
  int look_every = 1;       ///< iterations from a look at the defect to the next
  int most_iterations = 0;  ///< after which it is given up
};

/// Looks 32 times while the error shrinks by the tolerance, as theory expects it: the host waits for the
/// device at these alone. Gives up after three times as long. The same for all kernels.
[[nodiscard]] StopRule make_stop_rule(const HeatProblem& problem, double omega, double tolerance);

struct Convergence {
  int iterations = 0;
  double defect = 0;  ///< the greatest, relative to the problem's scale
  bool converged = false;
};

/// Seconds of a run as Itu et al. time theirs, copies from and to the host included.
struct RunTimes {
  double upload = 0, relaxation = 0, download = 0;
  [[nodiscard]] double total() const { return upload + relaxation + download; }
};

class PlateSolver {
 public:
  PlateSolver() = default;
  PlateSolver(const PlateSolver&) = delete;
  PlateSolver& operator=(const PlateSolver&) = delete;
  virtual ~PlateSolver() = default;

  /// The frame at its temperatures, 0 inside.
  virtual void start_cold() = 0;
  /// Values in [-1, 1) that depend on the node alone, those of the frame too.
  virtual void randomize(std::uint32_t seed) = 0;
  /// Two half sweeps each, in order behind what was given before.
  virtual void relax(int iterations) = 0;
  /// The greatest, relative to the problem's scale.
  [[nodiscard]] virtual double defect() = 0;
  /// [j][i] of the plate's nodes. float values are exact in double.
  [[nodiscard]] virtual std::vector<double> temperatures() = 0;
  /// Times of a run of so many iterations from the cold plate.
  [[nodiscard]] virtual RunTimes time_run(int iterations) = 0;
  /// Seconds of so many launches of one colour behind each other.
  [[nodiscard]] virtual double time_colour(int colour, int launches) = 0;
  /// Facts of a launch on a GPU; nothing on the host.
  [[nodiscard]] virtual LaunchFacts facts() const = 0;

  [[nodiscard]] Convergence converge(const StopRule& rule);
};

/// Bytes that such a solver takes of the device's memory, and of the host's beside it.
struct PlateBytes {
  std::size_t on_device = 0, on_host = 0;
};
[[nodiscard]] PlateBytes plate_bytes(const Backend& backend, const HeatProblem& problem, Storage storage,
                                     Precision precision);

/// `kernel` must run on the backend's device. Error 71 where memory or the GPU refuses.
[[nodiscard]] std::unique_ptr<PlateSolver> make_plate_solver(Backend& backend, const Kernel& kernel,
                                                             const HeatProblem& problem, double omega,
                                                             Precision precision);

/// Whether there is a launch of the kernel for a GPU, or for the host.
[[nodiscard]] bool runs_on(const Kernel& kernel, bool on_gpu);

}  // namespace minimod::relaxation
