#include "src/job/gradient/sums/slab_sums.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/process/on_all_cores.hpp"

namespace minimod {

namespace {

void join_on_first(NodeValues& own, Ranks& ranks) {
  const std::vector<int> planes = ranks.gather(own.n.z);
  if (!ranks.is_first()) {
    ranks.send(0, own.values.raw());
    own = {};
    return;
  }
  const std::size_t plane = std::size_t(own.n.x) * own.n.y * bytes_of(own.values.precision());
  std::size_t filled = own.values.bytes();
  for (int rank = 1; rank < ranks.size(); ++rank) own.n.z += planes[rank];
  own.values.resize(static_cast<std::size_t>(own.n.points()));
  for (int rank = 1; rank < ranks.size(); ++rank) {
    const std::size_t theirs = plane * planes[rank];
    ranks.receive(rank, own.values.raw().subspan(filled, theirs));
    filled += theirs;
  }
}

}  // namespace

PlaneValues with_neighbours(std::vector<double> values, const Problem& problem, int planes) {
  const Slab slab = problem.slab();
  if (problem.cut.ranks == nullptr) return {{slab.begin, slab.end}, std::move(values)};
  Ranks& ranks = *problem.cut.ranks;
  const Extent3 n = problem.grid().n;
  const std::size_t edge = std::size_t(n.x) * n.y * planes, bytes = edge * sizeof(double);
  const bool has_above = !ranks.is_first(), has_below = ranks.number() + 1 < ranks.size();
  PlaneValues all{{slab.begin - (has_above ? planes : 0), slab.end + (has_below ? planes : 0)}, {}};
  all.values.resize(values.size() + (has_above ? edge : 0) + (has_below ? edge : 0));
  double* const own = all.values.data() + (has_above ? edge : 0);
  std::ranges::copy(values, own);
  std::vector<Ranks::Message> messages;
  if (has_above) messages.push_back({ranks.number() - 1, own, bytes, own - edge, bytes});
  if (has_below) {
    double* const end = own + values.size();
    messages.push_back({ranks.number() + 1, end - edge, bytes, end, bytes});
  }
  ranks.exchange(messages);
  return all;
}

void make_image(std::vector<double>& products, double factor, ImagingCondition condition,
                const Problem& problem, const SampledMedium& medium) {
  const Grid& grid = problem.grid();
  const Slab slab = problem.slab();
  const std::size_t plane = std::size_t(grid.n.x) * grid.n.y;
  const double dt2 = std::pow(problem.time.dt, 2);
  on_all_cores("products", static_cast<std::size_t>(slab.planes()), [&](std::size_t z) {
    std::vector<float> velocity(plane);
    medium.sample_plane(slab.begin + static_cast<int>(z), velocity);
    for (std::size_t k = 0; k < plane; ++k)
      products[z * plane + k] *= factor / (std::pow(double{velocity[k]} * dt2, 2));
  });
  if (condition != ImagingCondition::inverse_scattering) return;
  const PlaneValues all = with_neighbours(std::move(products), problem, grid.radius);
  products = minus_half_laplacian(all.values, grid, all.planes, {slab.begin, slab.end});
}

GradientSums joined_on_first(GradientSums own, const DomainCut& cut) {
  if (cut.ranks == nullptr) return own;
  for (NodeValues* values : {&own.correlation, &own.source_illumination, &own.receiver_illumination})
    join_on_first(*values, *cut.ranks);
  return own;
}

}  // namespace minimod
