/// The problem that a propagator computes: the one description of it for runs, measurements and checks.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "src/base/saturated.hpp"
#include "src/ranks/halos/transport.hpp"
#include "src/ranks/ranks.hpp"
#include "src/ranks/slab.hpp"
#include "src/wavelets/time_axis.hpp"

namespace minimod {

/// The papers' case, which is computed where nobody says otherwise.
namespace papers_case {
inline constexpr int edge = 200;  ///< points along each axis
inline constexpr int layer_width = 27, steps = 1000;
inline constexpr double spacing = 20, velocity = 2000;  ///< m, m/s
}  // namespace papers_case

/// Who has which planes. Without ranks the domain is not cut: one process has it all, and is the first.
struct DomainCut {
  Ranks* ranks = nullptr;
  std::vector<Slab> slabs;             ///< slabs of all ranks
  std::optional<Transport> transport;  ///< transport of halos that is asked for
  std::optional<double> layer_cost;    ///< measured cost of the layer, by which the domain is cut
  int looked_at = 0;                   ///< rank whose slab is looked at where the ranks are not started yet

  [[nodiscard]] int count() const { return ranks == nullptr ? 1 : ranks->size(); }
  [[nodiscard]] bool is_first() const { return ranks == nullptr || ranks->is_first(); }
  /// This rank's, of a domain of so many planes.
  [[nodiscard]] Slab slab(int planes) const { return slabs.empty() ? Slab{0, planes} : slabs[number()]; }

  [[nodiscard]] int number() const { return ranks == nullptr ? looked_at : ranks->number(); }

  /// As Ranks has them.
  template <class T>
  [[nodiscard]] std::vector<T> gather(const T& mine) const {
    return ranks == nullptr ? std::vector<T>{mine} : ranks->gather(mine);
  }
  template <class T>
  [[nodiscard]] std::vector<T> from(int rank, std::vector<T> values) const {
    return ranks == nullptr ? std::move(values) : ranks->from(rank, std::move(values));
  }
  [[nodiscard]] bool any(bool mine) const { return ranks == nullptr ? mine : ranks->any(mine); }
  void together(const std::function<void()>& work) const {
    ranks == nullptr ? work() : ranks->together(work);
  }
  void on_first(const std::function<void()>& work) const {
    ranks == nullptr ? work() : ranks->on_first(work);
  }
};

/// A domain in time, whatever its medium and whatever is fed in and recorded.
struct Problem {
  StepProblem domain;  ///< grid with its precision, boundary, decomposition, equation
  Boundary boundary;   ///< boundary of the domain, with its profiles
  TimeAxis time;
  DomainCut cut = {};

  [[nodiscard]] const Grid& grid() const { return domain.grid; }
  /// Bytes of the traces of so many receivers.
  [[nodiscard]] std::uint64_t trace_bytes(std::size_t receivers) const {
    return saturated_product({receivers, std::uint64_t(time.samples()), bytes_of(domain.grid.precision)});
  }
  /// Points of the domain without the layer.
  [[nodiscard]] Box3 inner_box() const { return domain.boundary.inner_box(domain.grid.n); }
  /// Points of the absorbing layer on each face that has one.
  [[nodiscard]] int layer_width() const { return domain.boundary.widths.bottom; }
  [[nodiscard]] Slab slab() const { return cut.slab(domain.grid.n.z); }
  /// The part that the kernels must fit: the domain, or this rank's slab of it.
  [[nodiscard]] StepProblem part() const { return problem_of(slab(), domain, boundary); }
};

/// With the profiles that its boundary has at this time step.
[[nodiscard]] inline Problem make_problem(const StepProblem& domain, const TimeAxis& time,
                                          DomainCut cut = {}) {
  return {domain, make_boundary(domain.boundary, domain.grid.n, domain.grid.spacing, time.dt), time,
          std::move(cut)};
}

/// A medium by planes of the domain, or by nodes of a model on it.
struct MediumPlanes {
  MediumColumns columns;                              ///< columns of an equation beside V
  std::function<void(int z, float* plane)> velocity;  ///< m/s, x fastest
  std::function<bool(int z)> repeats = {};            ///< whether plane z is known to be as the one before
  /// In place of the planes, where the device reads them.
  std::optional<PlacedNodes> nodes = {};
};

}  // namespace minimod
