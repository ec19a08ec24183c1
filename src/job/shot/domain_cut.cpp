#include "src/job/shot/domain_cut.hpp"

#include <algorithm>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/choice/layer_cost.hpp"

namespace minimod {

namespace {

/// The plane in the middle of the nodes.
int middle_of(const NodeWeights& place) {
  return place.first.z + (place.count.z - 1) / 2;
}

int rank_of(const std::vector<Slab>& slabs, int z) {
  const auto found = std::ranges::find_if(slabs, [z](const Slab& slab) { return slab.contains(z); });
  return static_cast<int>(found - slabs.begin());
}

void require_in_halo(const NodeWeights& place, const Slab& slab, int halo) {
  const int first = place.first.z, end = first + place.count.z;
  if (first >= slab.begin - halo && end <= slab.end + halo) return;
  throw Error(ErrorKind::parameter,
              text("a receiver's nodes, planes ", first, " to ", end - 1, ", reach over ", halo,
                   " planes beyond the slab of ", slab.begin, " to ", slab.end - 1),
              text("take ", option("interpolation"), " sinc4, or other ", option("slabs")));
}

/// Numbers of the receivers of each rank.
std::vector<std::vector<int>> share_of_receivers(const RunPlan& plan, const Shot& shot) {
  const std::vector<Slab>& slabs = plan.problem.cut.slabs;
  std::vector<std::vector<int>> shares(std::max<std::size_t>(1, slabs.size()));
  const bool between_nodes = plan.interpolation != Interpolation::nearest;
  for (std::size_t i = 0; i < shot.receivers.size(); ++i) {
    int rank = 0;
    if (between_nodes && !slabs.empty()) {
      rank = recording_rank(plan.place_of(shot.receivers[i]), slabs, plan.grid().radius);
    } else if (!slabs.empty()) {
      rank = rank_of(slabs, shot.receiver_nodes[i].z);
    }
    shares[rank].push_back(static_cast<int>(i));
  }
  return shares;
}

}  // namespace

void cut_domain(RunPlan& plan, const RankOptions& options, int parts) {
  if (parts == 1) return;
  Ranks& ranks = Ranks::world();
  plan.problem.cut = {ranks.is_alone() ? nullptr : &ranks,
                      slabs_for(plan.problem.domain, options, parts),
                      options.transport,
                      {}};
  check_receivers_of_cut(plan, plan.shot);
}

void cut_by_measured_cost(RunPlan& plan, const RankOptions& options, const DeviceChoice& choice, Ranks& ranks,
                          const std::function<void()>& check) {
  const StepProblem& domain = plan.problem.domain;
  DomainCut& cut = plan.problem.cut;
  if (cut.slabs.empty() || !options.planes.empty()) return;
  const std::optional<double> cost = measured_layer_cost(*choice.backend, domain, choice.kernels, ranks);
  if (!cost) return;
  const std::vector<Slab> before = std::exchange(cut.slabs, cut_by_cost(domain, ranks.size(), *cost));
  try {
    ranks.together(check);
    cut.layer_cost = cost;
  } catch (const Error&) {
    cut.slabs = before;
  }
}

void hold_slab(RunPlan& plan, const Schedule& schedule) {
  if (plan.problem.cut.slabs.empty()) return;
  const Grid grid = plan.problem.part().with_ghosts(schedule.ghosts()).grid;
  auto held = std::make_shared<SampledMedium>(*plan.medium);  // without values yet
  held->hold(grid.first_z, grid.first_z + grid.n.z);
  plan.medium = std::move(held);
}

void check_receivers_of_cut(const RunPlan& plan, const Shot& shot) {
  static_cast<void>(share_of_receivers(plan, shot));
}

int recording_rank(const NodeWeights& place, const std::vector<Slab>& slabs, int halo) {
  const int rank = rank_of(slabs, middle_of(place));
  require_in_halo(place, slabs[rank], halo);
  return rank;
}

NodeWeights in_slab(NodeWeights place, const Slab& slab) {
  place.first.z -= slab.begin;
  return place;
}

ReceiverShare::ReceiverShare(const RunPlan& plan, Ranks& ranks)
    : ranks_(ranks), receivers_(share_of_receivers(plan, plan.shot)), count_(plan.shot.receivers.size()) {}

Reals ReceiverShare::join(const Reals& batch) {
  if (ranks_.is_alone()) return batch;
  std::size_t samples = mine().empty() ? 0 : batch.size() / mine().size();
  for (const std::size_t there : ranks_.gather(samples)) samples = std::max(samples, there);
  Reals all(batch.precision(), samples * count_);
  if (!ranks_.is_first()) {
    if (!mine().empty()) ranks_.send(0, batch.raw());
    return all;
  }
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    const std::vector<int>& theirs = receivers_[rank];
    if (theirs.empty()) continue;
    Reals part = rank == 0 ? batch : Reals(batch.precision(), samples * theirs.size());
    if (rank > 0) ranks_.receive(rank, part.raw());
    with_real(batch.precision(), [&]<class Real>() {
      for (std::size_t sample = 0; sample < samples; ++sample) {
        for (std::size_t i = 0; i < theirs.size(); ++i) {
          all.of<Real>()[sample * count_ + theirs[i]] = part.of<Real>()[sample * theirs.size() + i];
        }
      }
    });
  }
  return all;
}

}  // namespace minimod
