/// Halos that go from GPU to GPU.
#pragma once

#include "src/ranks/halos/transport.hpp"

namespace minimod {

/// The hosts tell each other that a push was given to the GPU, not that it is over: both run ahead of it.
class PeerCarrier final : public Carrier {
 public:
  /// Errors, on all ranks: 69 where GPUs cannot reach each other.
  PeerCarrier(Ranks& ranks, std::unique_ptr<PeerLink> link, const std::vector<Face>& faces);

  void open() override;
  void start(const std::vector<Face>& faces) override;
  void finish() override;
  /// CUDA wants memory of another process closed there before it is freed here.
  void end() override;

 private:
  Ranks& ranks_;
  std::unique_ptr<PeerLink> link_;
  int turn_ = 0;
  bool is_open_ = false;
  std::vector<Face> faces_;              ///< faces of the exchange under way
  std::vector<Ranks::Message> signals_;  ///< to the neighbours, without a byte
};

}  // namespace minimod
