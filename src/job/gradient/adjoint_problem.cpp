#include "src/job/gradient/adjoint_problem.hpp"

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

/// The first planes of all slabs but the uppermost must lie off what reaches beyond a transposed pml.
void check_cuts(const Problem& problem) {
  const BoundarySpec& spec = problem.domain.boundary;
  if (!spec.has_formula()) return;
  const int n = problem.grid().n.z, top = spec.widths.top, bottom = n - spec.widths.bottom;
  for (const Slab& slab : problem.cut.slabs) {
    const int cut = slab.begin;
    const bool is_beside = (top > 0 && cut <= top + 1) || (bottom < n && cut >= bottom - 1);
    if (cut == 0 || !is_beside) continue;
    throw Error(ErrorKind::parameter,
                text("the domain is cut before plane ", cut, ", within a plane of the layers of planes 0 to ",
                     top - 1, " and ", bottom, " to ", n - 1, ", which the transpose of a pml does not have"),
                text("give other ", option("slabs"), ", or take another ", option("boundary")));
  }
}

}  // namespace

Problem with_drives(Problem problem) {
  problem.domain.grid.rows_are_seen = true;
  problem.domain.has_drives = true;
  return problem;
}

Problem adjoint_problem(const Problem& problem) {
  check_cuts(problem);
  StepProblem domain = problem.domain;
  domain.boundary = adjoint_of(problem.boundary);
  domain.several_sources = true;
  domain.has_drives = false;
  return make_problem(domain, problem.time, problem.cut);
}

KernelSet kernels_of_adjoint(const Problem& adjoint, const DeviceChoice& choice) {
  const KernelSet& kernels = choice.kernels;
  const StepProblem part = adjoint.part();
  if (kernels.schedule->steps_of_exchange() == 1 && kernels.schedule->takes(part)) return kernels;
  KernelOptions any;
  any.order = 2 * adjoint.grid().radius;
  any.precision = adjoint.grid().precision;
  return first_to_try(any, part, choice);
}

NodeWeights place_of_receiver(const Problem& problem, const Shot& shot, std::size_t i) {
  if (shot.interpolation == Interpolation::nearest) return at_node(shot.receiver_nodes[i]);
  return shot.place_of(problem, shot.receivers[i]);
}

}  // namespace minimod
