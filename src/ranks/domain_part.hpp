/// A domain cut among ranks, and what each of them computes of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/ranks/halos/rank_neighbours.hpp"
#include "src/ranks/problem.hpp"
#include "src/ranks/rank_options.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

/// So many parts, a slab each, by cost or as the options say, for these ranks, or, where that is one alone,
/// for ranks that will be started. As it stands it is the cut of `verify`, whose small grids take less time
/// than measuring the cost of their layer. Error 64 where the parts are too many for the domain, or the
/// options do not fit it. `spared`: as for cut_by_cost.
[[nodiscard]] DomainCut cut_for(const StepProblem& domain, const RankOptions& options, Ranks& ranks,
                                int parts, const PlanesToSpare& spared = {});

/// The propagator of this rank's slab, or of a domain that is not cut.
struct DomainPart {
  std::unique_ptr<RankNeighbours> neighbours;  ///< null where the domain is not cut
  std::unique_ptr<Propagator> propagator;

  /// Bytes and time of the exchanges so far.
  [[nodiscard]] ExchangeCount exchanged() const { return neighbours ? neighbours->count() : ExchangeCount(); }
  [[nodiscard]] std::optional<Transport> transport() const {
    return neighbours ? std::optional(neighbours->transport()) : std::nullopt;
  }
};

/// Whether the fields of all slabs may lie in chunks by the sides of an L2, `n` being the points of this one:
/// planes that neighbours exchange must lie alike.
[[nodiscard]] bool all_know_sides(Ranks& ranks, const Backend& backend, Extent3 n);

/// Fields at rest, without a velocity, with the ghosts of the kernels' schedule. Errors, on all ranks: 71 too
/// little memory or a kernel that does not take a slab, 69 a transport that cannot be had.
[[nodiscard]] DomainPart make_part(Backend& backend, const Problem& problem, const KernelSet& kernels);

/// Gives this rank's part of the problem its medium.
void set_medium(Propagator& propagator, const Problem& problem, const MediumPlanes& medium);

/// For the facts: the planes of the slabs, and how halos go between them. `layer_cost`: that was measured and
/// cut by.
[[nodiscard]] std::string cut_fact(const std::vector<Slab>& slabs, const std::string& transport,
                                   std::optional<double> layer_cost);

/// The same, with how many ranks there are, and of which MPI; where halos are staged, whether it is not
/// CUDA-aware.
[[nodiscard]] std::string ranks_fact(const std::vector<Slab>& slabs, Transport transport,
                                     std::optional<double> layer_cost);

}  // namespace minimod
