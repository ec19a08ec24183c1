/// How the edges of a slab come to the neighbours' halos, and what that takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/ranks/halos/transport.hpp"

namespace minimod {

/// Bytes and time of the exchanges so far.
struct ExchangeCount {
  std::int64_t bytes = 0;  ///< bytes that this rank has sent
  double seconds = 0;      ///< time of the host
};

/// Rank i holds the slab above (z less) that of rank i + 1. All ranks make the same calls in the same order,
/// and destroy theirs together, where no error ends the run.
class HaloExchange {
 public:
  HaloExchange(Ranks& ranks, Backend& backend) : ranks_(ranks), backend_(backend) {}

  /// Calls visit(rank, side) for each neighbour of this rank.
  template <class Visit>
  void for_each_neighbour(const Visit& visit) const {
    if (ranks_.number() > 0) visit(ranks_.number() - 1, 0);
    if (ranks_.number() + 1 < ranks_.size()) visit(ranks_.number() + 1, 1);
  }

  /// Takes a transport for these faces, the fastest that there is, or that one: a pattern is sent both ways
  /// first, and what garbles it is not taken; edges and halos keep their values. Error 69 where it cannot be
  /// had or garbles.
  void choose_transport(const std::vector<Face>& faces, std::optional<Transport> wanted);
  [[nodiscard]] Transport transport() const { return transport_; }

  /// As Carrier has them; nothing until a transport is chosen.
  void open();
  void start(const std::vector<Face>& faces);
  void finish();

  [[nodiscard]] ExchangeCount count() const { return count_; }

 private:
  void prove(Carrier& carrier, const std::vector<Face>& faces);

  Ranks& ranks_;
  Backend& backend_;
  CarrierInUse carrier_;
  Transport transport_ = Transport::mpi;
  ExchangeCount count_;
};

}  // namespace minimod
