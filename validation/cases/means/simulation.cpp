#include "validation/cases/means/simulation.hpp"

#include "src/job/shot/domain_cut.hpp"

namespace minimod {

Simulation::Simulation(std::unique_ptr<Backend> backend, const Problem& problem, const MediumPlanes& medium,
                       const KernelSet& kernels)
    : backend_(std::move(backend)),
      kernels_(kernels),
      n_(problem.grid().n),
      cut_(problem.cut),
      slab_(problem.slab()),
      part_(make_part(*backend_, problem, kernels)) {
  set_medium(*part_.propagator, problem, medium);
}

void Simulation::set_source(Index3 node, const std::vector<double>& samples) {
  part_.propagator->set_source({node.x, node.y, node.z - slab_.begin}, samples);
}

void Simulation::set_source_between(const NodeWeights& place, const std::vector<double>& samples) {
  part_.propagator->set_source_between(in_slab(place, slab_), samples);
}

Extremes Simulation::extremes() const {
  cut_.together([&] { part_.propagator->check_status(); });
  return part_.propagator->extremes();
}

std::vector<double> Simulation::wavefield() const {
  std::vector<double> mine, all;
  cut_.together([&] { mine = part_.propagator->wavefield({{0, 0, 0}, {n_.x, n_.y, slab_.planes()}}); });
  for (int rank = 0; rank < cut_.count(); ++rank) {
    const std::vector<double> theirs = cut_.from(rank, mine);
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  return all;
}

/// `set` gives the propagator the places of this slab.
template <class Set>
std::vector<std::vector<double>> Simulation::run_traces_at(const std::vector<NodeWeights>& receivers,
                                                           int steps, const Set& set) {
  std::vector<std::vector<int>> of_rank(cut_.count());
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    const int rank = cut_.ranks == nullptr
                         ? 0
                         : recording_rank(receivers[i], cut_.slabs, part_.propagator->fields().grid().radius);
    of_rank[rank].push_back(static_cast<int>(i));
  }
  std::vector<NodeWeights> places;
  for (const int i : of_rank[cut_.number()]) places.push_back(in_slab(receivers[i], slab_));
  set(places);
  std::vector<double> batch;
  cut_.together([&] { batch = run_batch(*part_.propagator, steps).as_doubles(); });
  std::vector<std::vector<double>> traces(receivers.size(), std::vector<double>(steps + 1));
  for (int rank = 0; rank < cut_.count(); ++rank) {
    const std::vector<double> theirs = cut_.from(rank, batch);
    for (std::size_t k = 0; k < theirs.size(); ++k) {
      const std::size_t count = of_rank[rank].size();
      traces[of_rank[rank][k % count]][k / count] = theirs[k];
    }
  }
  return traces;
}

std::vector<std::vector<double>> Simulation::traces(const std::vector<Index3>& receivers, int steps) {
  std::vector<NodeWeights> all;
  all.reserve(receivers.size());
  for (const Index3 node : receivers) all.push_back(at_node(node));
  return run_traces_at(all, steps, [&](const std::vector<NodeWeights>& places) {
    std::vector<Index3> nodes;
    nodes.reserve(places.size());
    for (const NodeWeights& place : places) nodes.push_back(place.first);
    part_.propagator->set_receivers(nodes, steps + 1);
  });
}

std::vector<std::vector<double>> Simulation::traces_between(const std::vector<NodeWeights>& receivers,
                                                            int steps) {
  return run_traces_at(receivers, steps, [&](const std::vector<NodeWeights>& places) {
    part_.propagator->set_receivers_between({places.begin(), places.end()}, steps + 1);
  });
}

}  // namespace minimod
