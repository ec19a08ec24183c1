#include "src/job/shot/domain_cut.hpp"

#include <algorithm>
#include <functional>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/process/on_all_cores.hpp"

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
  const Interpolation narrower =
      half_width(Interpolation::sinc4) <= halo ? Interpolation::sinc4 : Interpolation::nearest;
  throw Error(ErrorKind::parameter,
              text("a receiver's nodes, planes ", first, " to ", end - 1, ", reach over ", halo,
                   " planes beyond the slab of ", slab.begin, " to ", slab.end - 1),
              text("take ", option("interpolation"), ' ', interpolation_name(narrower), ", or other ",
                   option("slabs")));
}

/// Numbers of the receivers of each rank.
std::vector<std::vector<int>> share_of_receivers(const Problem& problem, const Shot& shot) {
  const std::vector<Slab>& slabs = problem.cut.slabs;
  std::vector<std::vector<int>> shares(std::max<std::size_t>(1, slabs.size()));
  const bool between_nodes = shot.interpolation != Interpolation::nearest;
  const std::function<NodeWeights(Point3)> place_of = shot.placing(problem);
  for (std::size_t i = 0; i < shot.receivers.size(); ++i) {
    int rank = 0;
    if (between_nodes && !slabs.empty()) {
      rank = recording_rank(place_of(shot.receivers[i]), slabs, problem.grid().radius);
    } else if (!slabs.empty()) {
      rank = rank_of(slabs, shot.receiver_nodes[i].z);
    }
    shares[rank].push_back(static_cast<int>(i));
  }
  return shares;
}

/// Whether the nodes of receivers may reach beyond a halo.
bool has_wide_receivers(const Problem& problem, const SurveyPlan& plan) {
  return half_width(plan.shared.interpolation) > problem.grid().radius;
}

void spare_receivers(const Problem& problem, const Shot& shot, PlanesToSpare& spared) {
  const int halo = problem.grid().radius;
  const std::function<NodeWeights(Point3)> place_of = shot.placing(problem);
  for (const Point3& receiver : shot.receivers) {
    const NodeWeights place = place_of(receiver);
    const int first = place.first.z, middle = middle_of(place), end = first + place.count.z;
    for (int z = first + 1; z < end; ++z) {
      const bool is_below = middle < z, in_halo = is_below ? end <= z + halo : first >= z - halo;
      if (!in_halo) spared[z] = true;
    }
  }
}

}  // namespace

PlanesToSpare planes_amid_receivers(const Problem& problem, const SurveyPlan& plan) {
  if (!has_wide_receivers(problem, plan)) return {};
  PlanesToSpare spared(problem.grid().n.z);
  for (std::size_t i = 0; i < plan.selected.size(); ++i)
    spare_receivers(problem, place_shot(plan.shared, plan.shot(i)), spared);
  return spared;
}

Problem cut_domain(Problem problem, const SurveyPlan& plan, const RankOptions& options, int parts) {
  if (parts == 1) return problem;
  const PlanesToSpare spared =
      options.planes.empty() ? planes_amid_receivers(problem, plan) : PlanesToSpare();
  problem.cut = cut_for(problem.domain, options, Ranks::world(), parts, spared);
  check_receivers_of_cut(problem, plan.first);
  return problem;
}

void check_receivers_of_cut(const Problem& problem, const Shot& shot) {
  static_cast<void>(share_of_receivers(problem, shot));
}

void check_receivers_of_cut(const Problem& problem, const SurveyPlan& plan) {
  for (std::size_t i = 0; has_wide_receivers(problem, plan) && i < plan.selected.size(); ++i)
    check_receivers_of_cut(problem, place_shot(plan.shared, plan.shot(i)));
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

NodePlaces places_in_slab(const Problem& problem, const Shot& shot, const std::vector<int>& receivers) {
  constexpr std::size_t at_once = 64;
  const Slab slab = problem.slab();
  NodePlaces places(receivers.size());
  in_pieces("minimod::place_receivers", places.size(), at_once, [&](std::size_t begin, std::size_t end) {
    const std::function<NodeWeights(Point3)> place_of = shot.placing(problem);
    for (std::size_t k = begin; k < end; ++k)
      places[k] = in_slab(place_of(shot.receivers[receivers[k]]), slab);
  });
  return places;
}

ReceiverShare::ReceiverShare(const Problem& problem, const Shot& shot, Ranks& ranks)
    : ranks_(ranks), receivers_(share_of_receivers(problem, shot)), count_(shot.receivers.size()) {}

const Reals& ReceiverShare::join(const Reals& batch) {
  if (ranks_.is_alone()) return batch;
  std::size_t samples = mine().empty() ? 0 : batch.size() / mine().size();
  for (const std::size_t there : ranks_.gather(samples)) samples = std::max(samples, there);
  joined_ = Reals(batch.precision(), samples * count_);
  if (!ranks_.is_first()) {
    if (!mine().empty()) ranks_.send(0, batch.raw());
    return joined_;
  }
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    const std::vector<int>& theirs = receivers_[rank];
    if (theirs.empty()) continue;
    Reals part = rank == 0 ? batch : Reals(batch.precision(), samples * theirs.size());
    if (rank > 0) ranks_.receive(rank, part.raw());
    with_real(batch.precision(), [&]<class Real>() {
      for (std::size_t sample = 0; sample < samples; ++sample) {
        for (std::size_t i = 0; i < theirs.size(); ++i) {
          joined_.of<Real>()[sample * count_ + theirs[i]] = part.of<Real>()[sample * theirs.size() + i];
        }
      }
    });
  }
  return joined_;
}

}  // namespace minimod
