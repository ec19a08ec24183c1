/// Slabs of a domain whose edges a test brings to each other.
#pragma once

#include <cstring>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "src/ranks/slab.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

inline constexpr Point3 slab_spacing{20, 16, 12.5};
inline constexpr double slab_dt = 1e-3;

inline std::vector<char> values_of(Backend& backend, const FieldPart& part) {
  std::vector<char> values(part.bytes());
  backend.download(values.data(), part.at.data, part.bytes());
  return values;
}

/// Neighbours that nothing goes to: a test brings the edges itself.
class SilentNeighbours : public Neighbours {
 public:
  void open_exchange() override {}
  void start_exchange(const Fields& /*fields*/, FieldRole /*role*/, const Ready& /*above*/) override {}
  void finish_exchange() override {}
  [[nodiscard]] Extremes of_all(const Extremes& here) override { return here; }
  [[nodiscard]] Peak of_all(const Peak& here) override { return here; }
  /// The owner's call comes first.
  [[nodiscard]] std::vector<double> from_owners(const std::vector<double>& here) override {
    static std::vector<double> owners;
    if (here.front() != 0) owners = here;
    return owners;
  }
  void collect_state(const Propagator& /*slab*/, const StateSink& /*sink*/) override {}
  void distribute_state(Propagator& /*slab*/, const StateSource& /*source*/) override {}
  [[nodiscard]] std::size_t state_bytes() const override { return 0; }
};

/// Planes of a slab of the domain, and those beyond that the schedule wants, with random fields.
inline Propagator make_slab(Backend& backend, Extent3 n, const BoundarySpec& domain, const KernelSet& kernels,
                            const Slab& slab, Neighbours* neighbours = nullptr) {
  const Boundary whole = make_boundary(domain, n, slab_spacing, slab_dt);
  const BoundarySpec boundary = cut_along_z(whole, slab.begin > 0, slab.end < n.z);
  StepProblem part{make_grid({n.x, n.y, slab.planes()}, slab_spacing, boundary, kernels.inner->radius,
                             kernels.inner->precision),
                   boundary};
  part.grid.first_z = slab.begin;
  part = part.with_ghosts(kernels.schedule->ghosts());
  Propagator made(backend, part, make_boundary(boundary, part.grid.n, slab_spacing, slab_dt), kernels,
                  neighbours);
  made.set_velocity(slab_dt, [&](int z, float* plane) {
    for (int i = 0; i < n.x * n.y; ++i)
      plane[i] = static_cast<float>(2000 + (i * 7 + (slab.begin + z) * 131) % 1000);
  });
  made.set_random_field(3);
  return made;
}

/// Fields are in memory of the host.
inline void copy(const FieldPart& from, const FieldPart& to) {
  REQUIRE(from.bytes() == to.bytes());
  std::memcpy(to.at.data, from.at.data, to.bytes());
}

/// The edges of the first array of the state, as two neighbours have them.
inline void exchange(const Propagator& upper, const Propagator& lower) {
  using Side = Fields::Side;
  const auto of_upper = upper.fields().shared(FieldRole::state, Side::below).front();
  const auto of_lower = lower.fields().shared(FieldRole::state, Side::above).front();
  copy(of_upper.edge, of_lower.halo);
  copy(of_lower.edge, of_upper.halo);
}

}  // namespace minimod
