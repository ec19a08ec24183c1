/// The slabs of a domain that other ranks hold.
#pragma once

#include "src/ranks/state_map.hpp"
#include "src/ranks/transport.hpp"
#include "src/solver/neighbours.hpp"

namespace minimod {

/// What exchanges have taken so far.
struct ExchangeCount {
  std::int64_t bytes = 0;  ///< that this rank has sent
  double seconds = 0;      ///< of the host
};

/// Rank i holds the slab above (z less) that of rank i + 1. All ranks destroy theirs together, where no error
/// ends the run.
class RankNeighbours final : public Neighbours {
 public:
  /// `state`: of the domain, as state_of_domain has it, in that precision.
  RankNeighbours(Ranks& ranks, Backend& backend, std::vector<StatePart> state, Precision precision)
      : ranks_(ranks), backend_(backend), state_(std::move(state)), precision_(precision) {}

  /// Takes a transport for fields at rest, the fastest that there is, or that one: a pattern is sent both
  /// ways first, and what garbles it is not taken. Error 69 where it cannot be had or garbles.
  void choose_transport(const Fields& fields, std::optional<Transport> wanted);
  [[nodiscard]] Transport transport() const { return transport_; }

  void start_exchange(const Fields& fields, RealsAt field) override;
  void finish_exchange() override;
  void fill_ghosts(const Fields& fields) override;
  [[nodiscard]] Extremes of_all(const Extremes& here) override;
  [[nodiscard]] Peak of_all(const Peak& here) override;
  [[nodiscard]] double from_owner(double here) override;
  void collect_state(const Propagator& slab, const StateSink& sink) override;
  void distribute_state(Propagator& slab, const StateSource& source) override;
  [[nodiscard]] std::size_t state_bytes() const override;

  [[nodiscard]] ExchangeCount count() const { return count_; }

 private:
  /// Where `planes` has those that go to and come from the neighbour at a side.
  template <class Planes>
  [[nodiscard]] const std::vector<Face>& faces(const Planes& planes);
  [[nodiscard]] const std::vector<Face>& faces_of(const Fields& fields, RealsAt field);
  void prove(Carrier& carrier, const std::vector<Face>& faces, const Grid& grid);
  template <class Visit>
  void for_each_piece(const Propagator& slab, const Visit& visit);

  Ranks& ranks_;
  Backend& backend_;
  std::vector<StatePart> state_;
  Precision precision_;
  CarrierInUse carrier_;  ///< none until one is chosen: the fields are at rest
  Transport transport_ = Transport::mpi;
  std::vector<Face> faces_;  ///< faces_of's, one for each neighbour
  ExchangeCount count_;
};

}  // namespace minimod
