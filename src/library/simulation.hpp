/// A simulation as other programs step it: no files, no options, one device.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "src/choice/device_choice.hpp"
#include "src/solver/numerics/interpolation.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

/// Problem of a simulation. Lengths in m, frequencies in Hz.
struct SimulationProblem {
  Extent3 n;  ///< points, the absorbing layer included
  Point3 spacing;
  StarWeights weights = StarWeights::minimax;
  BoundaryKind boundary = BoundaryKind::cpml;
  int width = 0;  ///< points of the layer
  bool free_surface = false;
  double frequency = 0;  ///< where signatures are strongest
  KernelOptions kernels;
};

/// Positions are in m from node (0, 0, 0). Each step is computed when it is asked for and none ahead of it,
/// so that the field may be changed between two.
class SteppedSimulation {
 public:
  /// Errors: 64 what is no grid or no kernel, 65 a layer that does not fit, 69 a GPU that is not there.
  explicit SteppedSimulation(const SimulationProblem& problem);

  /// V (m/s) of all points, x fastest; no `dt`: default_dt_fraction of the limit. Leaves the fields at rest,
  /// without sources and receivers. Errors: 65, 71; then there is no medium.
  void set_medium(const float* velocity, std::optional<double> dt);
  [[nodiscard]] double dt() const;

  /// s(tₙ), n = 0, 1, … of each. Errors: 65 positions outside the grid, values that are not finite.
  void set_sources(const std::vector<Point3>& positions, const std::vector<std::vector<double>>& signatures);
  /// Sets receivers, which keep u from the present step on.
  void set_receivers(const std::vector<Point3>& positions);

  void step();
  [[nodiscard]] int steps_done() const;

  /// Samples of each receiver, kept since they were set or fetched, the present one included.
  [[nodiscard]] std::size_t samples() const;
  /// Fetches these samples, [sample][receiver], and forgets them.
  [[nodiscard]] Reals fetch();
  [[nodiscard]] std::size_t receivers() const { return receivers_; }

  /// The wavefield, when the device has computed it; it stays there until the next step.
  [[nodiscard]] RealsAt field();
  /// As the fields lie; with a medium.
  [[nodiscard]] const Grid& grid() const;
  [[nodiscard]] const DeviceChoice& choice() const { return choice_; }
  /// u of plane z, x fastest.
  [[nodiscard]] std::vector<double> plane(int z) const;
  /// To u at a node. Error 64 where that is none.
  void add(Index3 node, double value);

 private:
  [[nodiscard]] StepProblem domain_for(double velocity) const;
  /// Error 64 without a medium.
  [[nodiscard]] Propagator& propagator() const;
  [[nodiscard]] std::vector<NodeWeights> places_of(const std::vector<Point3>& positions) const;
  void record();
  void fetch_batch();

  SimulationProblem problem_;
  DeviceChoice choice_;
  std::unique_ptr<Propagator> propagator_;  ///< null without a medium
  double dt_ = 0;
  std::size_t receivers_ = 0;
  bool is_recorded_ = false;  ///< the present step
  int in_batch_ = 0;          ///< samples on the device
  Reals kept_;                ///< samples fetched from there before
};

}  // namespace minimod
