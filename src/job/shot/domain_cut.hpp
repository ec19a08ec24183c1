/// A shot whose domain is cut into slabs: which receivers a rank has, and how traces come together.
#pragma once

#include <vector>

#include "src/base/reals.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/shot.hpp"
#include "src/ranks/domain_part.hpp"
#include "src/solver/receivers.hpp"

namespace minimod {

/// Planes of a problem's domain at which a cut would leave nodes of a receiver, of any of the selected shots,
/// beyond a halo: at low orders, or of the widest interpolation.
[[nodiscard]] PlanesToSpare planes_amid_receivers(const Problem& problem, const SurveyPlan& plan);

/// The problem with its domain cut into so many parts, for the ranks that there are or that will be started:
/// beside the nodes of receivers, where there are planes for that. Error 64 where they are too many for it,
/// or the nodes of a receiver of the first shot reach beyond the halo.
[[nodiscard]] Problem cut_domain(Problem problem, const SurveyPlan& plan, const RankOptions& options,
                                 int parts);

/// Error 64 where the nodes of a receiver of the shot reach beyond its slab's halo.
void check_receivers_of_cut(const Problem& problem, const Shot& shot);
/// Error 64 where the nodes of a receiver of any selected shot do.
void check_receivers_of_cut(const Problem& problem, const SurveyPlan& plan);

/// The rank that records there: the one with the middle of the nodes; the others lie in its halo. Error 64
/// where they reach beyond it.
[[nodiscard]] int recording_rank(const NodeWeights& place, const std::vector<Slab>& slabs, int halo);

/// The receivers of a shot that a rank records: those in its slab (recording_rank).
class ReceiverShare {
 public:
  /// Error 64 where the nodes of a receiver reach beyond the halo.
  ReceiverShare(const Problem& problem, const Shot& shot, Ranks& ranks);

  [[nodiscard]] const std::vector<int>& mine() const { return receivers_[ranks_.number()]; }
  /// Joins the batches of all ranks, [sample][receiver], until the next call: that of all receivers on the
  /// first one, and zeros on the others. One rank's is the batch itself.
  [[nodiscard]] const Reals& join(const Reals& batch);

 private:
  Ranks& ranks_;
  std::vector<std::vector<int>> receivers_;  ///< receivers of each rank
  std::size_t count_;                        ///< number of all receivers
  Reals joined_;
};

/// `place` as the slab counts z.
[[nodiscard]] NodeWeights in_slab(NodeWeights place, const Slab& slab);

/// Places between the nodes of a problem's slab of some of a shot's receivers, found by all cores.
[[nodiscard]] NodePlaces places_in_slab(const Problem& problem, const Shot& shot,
                                        const std::vector<int>& receivers);

}  // namespace minimod
