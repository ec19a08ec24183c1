/// A shot whose domain is cut into slabs: which receivers a rank has, and how traces come together.
#pragma once

#include <functional>
#include <vector>

#include "src/base/reals.hpp"
#include "src/choice/device_choice.hpp"
#include "src/job/plan/plan.hpp"
#include "src/ranks/domain_part.hpp"

namespace minimod {

/// Cuts the domain of a plan into so many parts, for the ranks that there are or that will be started. Error
/// 64 where they are too many for it, or a receiver's nodes reach beyond the halo.
void cut_domain(RunPlan& plan, const RankOptions& options, int parts);

/// Cuts a domain anew that was not cut by --slabs, by the cost of its layer with these kernels, where that
/// can be measured and all ranks can `check` the new cut, which throws where something does not fit it.
void cut_by_measured_cost(RunPlan& plan, const RankOptions& options, const DeviceChoice& choice, Ranks& ranks,
                          const std::function<void()>& check);

/// Of a domain that is cut: reads this rank's part of the model, that of the schedule's ghosts too. Errors:
/// as SampledMedium::hold.
void hold_slab(RunPlan& plan, const Schedule& schedule);

/// Error 64 where the nodes of a receiver of the shot reach beyond its slab's halo.
void check_receivers_of_cut(const RunPlan& plan, const Shot& shot);

/// The rank that records there: the one with the middle of the nodes; the others lie in its halo. Error 64
/// where they reach beyond it.
[[nodiscard]] int recording_rank(const NodeWeights& place, const std::vector<Slab>& slabs, int halo);

/// The receivers of a plan that a rank records: those in its slab (recording_rank).
class ReceiverShare {
 public:
  /// Error 64 where the nodes of a receiver reach beyond the halo.
  ReceiverShare(const RunPlan& plan, Ranks& ranks);

  [[nodiscard]] const std::vector<int>& mine() const { return receivers_[ranks_.number()]; }
  /// Of the batches of all ranks, [sample][receiver], that of all receivers on the first one, and zeros on
  /// the others.
  [[nodiscard]] Reals join(const Reals& batch);

 private:
  Ranks& ranks_;
  std::vector<std::vector<int>> receivers_;  ///< of each rank
  std::size_t count_;                        ///< of all
};

/// `place` as the slab counts z.
[[nodiscard]] NodeWeights in_slab(NodeWeights place, const Slab& slab);

}  // namespace minimod
