/// Born's approximation of a shot: what a change of the velocities adds to its traces, to first order. The
/// drive of each step of the shot, times twice the change's share of V, is fed to waves of their own, which
/// run beside those of the shot (boundary/adjoint/drive.hpp).
#pragma once

#include <memory>

#include "src/job/gradient/velocity_change.hpp"
#include "src/job/shot/modeled_shot.hpp"

namespace minimod {

class BornRunner {
 public:
  /// Puts the shot's waves, the scattered ones and the change on the device. Of a problem that is cut all
  /// ranks make the same calls. Errors: 64 a schedule that computes a step ahead; 69 a transport that cannot
  /// be had; 71.
  BornRunner(const Problem& problem, const std::shared_ptr<const SampledMedium>& medium,
             const DeviceChoice& choice, const VelocityChange& change);

  /// Transport of the slabs' halos, where the domain is cut.
  [[nodiscard]] std::optional<Transport> transport() const { return incident_.transport(); }
  /// Traces and extremes are the scattered waves', at which observers look; seconds those of both. Errors:
  /// those of ShotRunner::run. Without checkpoints.
  [[nodiscard]] ModeledShot run(const Shot& shot, const ShotHooks& hooks);

 private:
  class Scatterer;

  Problem problem_;
  Backend& backend_;
  KernelSet kernels_;
  ShotRunner incident_, scattered_;
  DeviceReals drive_, ratio_;
};

}  // namespace minimod
