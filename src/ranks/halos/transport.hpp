/// How the edges of slabs get to the neighbours' halos.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/choices.hpp"
#include "src/device/backend.hpp"
#include "src/ranks/ranks.hpp"

namespace minimod {

enum class Transport {
  mpi,     ///< MPI takes the device's memory: the host's always, a GPU's where MPI knows CUDA
  ipc,     ///< copies from GPU to GPU of a machine, by their copy engines
  staged,  ///< through memory of the host, and MPI
};

inline constexpr NamedChoice<Transport> transport_names[] = {
    {Transport::mpi, "mpi"}, {Transport::ipc, "ipc"}, {Transport::staged, "staged"}};

/// Planes of an array that one slab gives to a neighbour, and gets from it; memory of the device.
struct Face {
  int rank = 0;  ///< rank of the neighbour
  int side = 0;  ///< 0: above (z less), 1: below
  const void* edge = nullptr;
  std::size_t edge_bytes = 0;
  void* halo = nullptr;
  std::size_t halo_bytes = 0;
  Ready ready = {};  ///< when the edge is
};

class Carrier {
 public:
  Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  virtual ~Carrier() = default;

  /// May come before the launches that make the edges, where these leave the halos alone, and what follows
  /// the edges until the next such call but one. Then halos may be filled beside the launches, and edges be
  /// on their way behind `finish`.
  virtual void open() {}
  /// All edges to the neighbours' halos, where there are several at a side in the same order: behind the
  /// launches of lane 0 before `start`, where they are ready early perhaps beside them, beside those between
  /// `start` and `finish`, and before those that follow. Every rank calls both.
  virtual void start(const std::vector<Face>& faces) = 0;
  virtual void finish() = 0;
  /// Before it is destroyed, unless an error ends the run: no neighbour reaches into this rank's memory from
  /// here on. Every rank calls it.
  virtual void end() {}
};

/// Ends a carrier before it destroys it; where an error destroys it, nothing waits for the neighbours.
class CarrierInUse {
 public:
  CarrierInUse() = default;
  explicit CarrierInUse(std::unique_ptr<Carrier> carrier) : carrier_(std::move(carrier)) {}
  CarrierInUse(CarrierInUse&&) = default;
  CarrierInUse& operator=(CarrierInUse&&) = default;
  CarrierInUse(const CarrierInUse&) = delete;
  CarrierInUse& operator=(const CarrierInUse&) = delete;
  ~CarrierInUse() {
    if (carrier_ && std::uncaught_exceptions() == 0) carrier_->end();
  }

  explicit operator bool() const { return carrier_ != nullptr; }
  Carrier* operator->() const { return carrier_.get(); }

 private:
  std::unique_ptr<Carrier> carrier_;
};

/// For faces like these, or fewer bytes at each side. Every rank calls it; error 69 on all where one of them
/// cannot have it.
[[nodiscard]] std::unique_ptr<Carrier> make_carrier(Transport transport, Ranks& ranks, Backend& backend,
                                                    const std::vector<Face>& faces);

}  // namespace minimod
