#include "src/ranks/halos/rank_neighbours.hpp"

#include <algorithm>

#include "src/ranks/state_pieces.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

std::vector<Face> RankNeighbours::faces(const Fields& fields, FieldRole role, const Ready& above) const {
  std::vector<Face> faces;
  exchange_.for_each_neighbour([&](int rank, int side) {
    const bool is_above = side == 0;
    for (const auto& [halo, edge] :
         fields.shared(role, is_above ? Fields::Side::above : Fields::Side::below)) {
      faces.push_back(
          {rank, side, edge.at.data, edge.bytes(), halo.at.data, halo.bytes(), is_above ? above : Ready()});
    }
  });
  return faces;
}

void RankNeighbours::choose_transport(const Fields& fields, std::optional<Transport> wanted) {
  exchange_.choose_transport(faces(fields, FieldRole::state, {}), wanted);
}

void RankNeighbours::open_exchange() {
  exchange_.open();
}

void RankNeighbours::start_exchange(const Fields& fields, FieldRole role, const Ready& above) {
  exchange_.start(faces(fields, role, above));
}

void RankNeighbours::finish_exchange() {
  exchange_.finish();
}

Extremes RankNeighbours::of_all(const Extremes& here) {
  Extremes found = here;
  for (const Extremes& there : ranks_.gather(here)) {
    found = {std::min(found.min, there.min), std::max(found.max, there.max), found.finite && there.finite};
  }
  return found;
}

Peak RankNeighbours::of_all(const Peak& here) {
  const std::vector<Peak> peaks = ranks_.gather(here);
  return *std::ranges::max_element(peaks, {}, &Peak::bits);
}

std::vector<double> RankNeighbours::from_owners(const std::vector<double>& here) {
  std::vector<double> found(here.size());
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    const std::vector<double> theirs = ranks_.from(rank, here);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] += theirs[i];
  }
  return found;
}

void RankNeighbours::collect_state(const Propagator& slab, const StateSink& sink) {
  const auto take = [&](const std::string& part, std::size_t first, Reals& values) {
    slab.fields().take(part, first, values);
  };
  collect_on_first(ranks_, state_, take, sink);
}

void RankNeighbours::distribute_state(Propagator& slab, const StateSource& source) {
  const auto put = [&](const std::string& part, std::size_t first, const Reals& values) {
    slab.fields().put(part, first, values);
  };
  distribute_from_first(ranks_, state_, put, source);
}

}  // namespace minimod
