#include "src/ranks/domain_part.hpp"

#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

void check_slab_count(const RankOptions& options, int ranks) {
  if (options.planes.empty() || static_cast<int>(options.planes.size()) == ranks) return;
  throw Error(ErrorKind::parameter,
              text(option("slabs"), " names ", options.planes.size(), " slabs, there are ", ranks, " ranks"),
              "give a number of planes for each");
}

DomainCut cut_for(const StepProblem& domain, const RankOptions& options, Ranks& ranks, int parts,
                  const PlanesToSpare& spared) {
  if (parts == 1) return {};
  check_slab_count(options, parts);
  return {ranks.is_alone() ? nullptr : &ranks,
          options.planes.empty() ? cut_by_cost(domain, parts, usual_layer_cost, spared)
                                 : cut_by_planes(domain, options.planes),
          options.transport,
          {}};
}

bool all_know_sides(Ranks& ranks, const Backend& backend, Extent3 n) {
  bool are_known = false;
  ranks.together([&] { are_known = backend.l2_sides(n).are_known(); });
  return !ranks.any(!are_known);
}

DomainPart make_part(Backend& backend, const Problem& problem, const KernelSet& kernels) {
  const StepProblem& domain = problem.domain;
  const DomainCut& cut = problem.cut;
  const int ghosts = kernels.schedule->ghosts();
  StepProblem slab = problem.part().with_ghosts(ghosts);
  DomainPart part;
  if (cut.ranks != nullptr) {
    slab.grid.rows_are_seen |= !all_know_sides(*cut.ranks, backend, slab.grid.n);
    std::vector<SlabFields> fields;
    for (const Slab& one : cut.slabs) {
      const StepProblem there = problem_of(one, domain, problem.boundary).with_ghosts(ghosts);
      fields.push_back({there.grid, kernels.schedule->fields(there)});
    }
    part.neighbours = std::make_unique<RankNeighbours>(
        *cut.ranks, backend, state_of_domain(kernels.schedule->fields(domain), fields));
  }
  cut.together([&] {
    part.propagator = std::make_unique<Propagator>(
        backend, slab, boundary_of(slab, problem.boundary, problem.time.dt), kernels, part.neighbours.get());
  });
  if (part.neighbours) part.neighbours->choose_transport(part.propagator->fields(), cut.transport);
  return part;
}

void set_medium(Propagator& propagator, const Problem& problem, const MediumPlanes& medium) {
  const int begin = problem.slab().begin;
  propagator.set_columns(medium.columns);
  if (medium.nodes) return propagator.set_velocity(problem.time.dt, medium.nodes->from_plane(begin));
  const auto velocity = [&](int z, float* plane) { medium.velocity(begin + z, plane); };
  if (!medium.repeats) return propagator.set_velocity(problem.time.dt, velocity);
  propagator.set_velocity(problem.time.dt, velocity, [&](int z) { return medium.repeats(begin + z); });
}

std::string cut_fact(const std::vector<Slab>& slabs, const std::string& transport,
                     std::optional<double> layer_cost) {
  return text("slabs of ", planes_text(slabs), " planes, halos by ", transport,
              layer_cost ? text("; a point of the layer costs ", *layer_cost, " others (measured)") : "");
}

std::string ranks_fact(const std::vector<Slab>& slabs, Transport transport,
                       std::optional<double> layer_cost) {
  const bool is_unaware = transport == Transport::staged && !Ranks::world().takes_gpu_memory();
  return text(slabs.size(), " (", mpi_library(), is_unaware ? ", which takes no GPU's memory), " : "), ",
              cut_fact(slabs, name_in(transport_names, transport), layer_cost));
}

}  // namespace minimod
