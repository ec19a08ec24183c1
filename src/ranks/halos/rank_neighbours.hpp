/// The slabs of a domain that other ranks hold.
#pragma once

#include "src/ranks/halos/halo_exchange.hpp"
#include "src/ranks/state_map.hpp"
#include "src/solver/neighbours.hpp"

namespace minimod {

/// All ranks destroy theirs together, where no error ends the run.
class RankNeighbours final : public Neighbours {
 public:
  /// `state`: of the domain, as state_of_domain has it.
  RankNeighbours(Ranks& ranks, Backend& backend, std::vector<StatePart> state)
      : ranks_(ranks), state_(std::move(state)), exchange_(ranks, backend) {}

  /// As HaloExchange has them. Nothing is exchanged before: the fields are at rest.
  void choose_transport(const Fields& fields, std::optional<Transport> wanted);
  [[nodiscard]] Transport transport() const { return exchange_.transport(); }

  void open_exchange() override;
  void start_exchange(const Fields& fields, FieldRole role, const Ready& above) override;
  void finish_exchange() override;
  [[nodiscard]] Extremes of_all(const Extremes& here) override;
  [[nodiscard]] Peak of_all(const Peak& here) override;
  [[nodiscard]] std::vector<double> from_owners(const std::vector<double>& here) override;
  void collect_state(const Propagator& slab, const StateSink& sink) override;
  void distribute_state(Propagator& slab, const StateSource& source) override;
  [[nodiscard]] std::size_t state_bytes() const override { return bytes_of(state_); }

  [[nodiscard]] ExchangeCount count() const { return exchange_.count(); }

 private:
  /// Faces of all arrays with a role; what goes above is there when `above` says.
  [[nodiscard]] std::vector<Face> faces(const Fields& fields, FieldRole role, const Ready& above) const;

  Ranks& ranks_;
  std::vector<StatePart> state_;
  HaloExchange exchange_;
};

}  // namespace minimod
