/// A domain that a case computes: on one device, or cut among ranks.
#pragma once

#include "src/ranks/domain_part.hpp"
#include "validation/cases/means/domain.hpp"

namespace minimod {

/// A run of a domain, which may be cut: each rank has the propagator of its slab, and all make the same
/// calls. Nodes are the domain's, and every rank gets what all have found.
class Simulation {
 public:
  /// The domain at rest. Error 71 when it does not fit the device.
  Simulation(std::unique_ptr<Backend> backend, const Problem& problem, const MediumPlanes& medium,
             const KernelSet& kernels);

  [[nodiscard]] const KernelSet& kernels() const { return kernels_; }

  void set_source(Index3 node, const std::vector<double>& samples);
  void set_source_between(const NodeWeights& place, const std::vector<double>& samples);
  void set_random_field(std::uint32_t seed) { part_.propagator->set_random_field(seed); }
  void step() { part_.propagator->step(); }
  [[nodiscard]] int steps_done() const { return part_.propagator->steps_done(); }

  [[nodiscard]] Extremes extremes() const;
  /// u at the present time over all points, x fastest.
  [[nodiscard]] std::vector<double> wavefield() const;
  /// The traces [receiver][step] of `steps` steps from here on, the present state first.
  [[nodiscard]] std::vector<std::vector<double>> traces(const std::vector<Index3>& receivers, int steps);
  [[nodiscard]] std::vector<std::vector<double>> traces_between(const std::vector<NodeWeights>& receivers,
                                                                int steps);

 private:
  template <class Set>
  [[nodiscard]] std::vector<std::vector<double>> run_traces_at(const std::vector<NodeWeights>& receivers,
                                                               int steps, const Set& set);

  std::unique_ptr<Backend> backend_;  ///< device that the propagator uses to its end
  KernelSet kernels_;
  Extent3 n_;
  DomainCut cut_;
  Slab slab_;
  DomainPart part_;
};

}  // namespace minimod
