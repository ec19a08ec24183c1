/// How the edges of slabs get to the neighbours' halos.
#pragma once

#include <memory>
#include <optional>
#include <string>
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

/// What one slab gives to a neighbour, and gets from it; memory of the device.
struct Face {
  int rank = 0;  ///< of the neighbour
  int side = 0;  ///< 0: above (z less), 1: below
  const void* edge = nullptr;
  void* halo = nullptr;
  std::size_t bytes = 0;
};

class Carrier {
 public:
  Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  virtual ~Carrier() = default;

  /// All edges to the neighbours' halos: behind the launches of lane 0 before `start`, beside those between
  /// `start` and `finish`, and before those that follow. Every rank calls both.
  virtual void start(const std::vector<Face>& faces) = 0;
  virtual void finish() = 0;
};

/// For faces like these. Every rank calls it; error 69 on all where one of them cannot have it.
[[nodiscard]] std::unique_ptr<Carrier> make_carrier(Transport transport, Ranks& ranks, Backend& backend,
                                                    const std::vector<Face>& faces);

}  // namespace minimod
