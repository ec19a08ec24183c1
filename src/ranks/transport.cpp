#include "src/ranks/transport.hpp"

#include <algorithm>

#include "src/ranks/peer_carrier.hpp"

namespace minimod {

namespace {

std::size_t largest(const std::vector<Face>& faces) {
  std::size_t bytes = 0;
  for (const Face& face : faces) bytes = std::max(bytes, face.bytes);
  return bytes;
}

class MpiCarrier final : public Carrier {
 public:
  MpiCarrier(Ranks& ranks, Backend& backend) : ranks_(ranks), backend_(backend) {}
  void start(const std::vector<Face>& faces) override {
    std::vector<Ranks::Message> messages;
    messages.reserve(faces.size());
    for (const Face& face : faces) messages.push_back({face.rank, face.edge, face.halo, face.bytes});
    backend_.wait();
    ranks_.start_exchange(messages);
  }
  void finish() override { ranks_.finish_exchange(); }

 private:
  Ranks& ranks_;
  Backend& backend_;
};

class StagedCarrier final : public Carrier {
 public:
  StagedCarrier(Ranks& ranks, Backend& backend, const std::vector<Face>& faces)
      : ranks_(ranks), bytes_(largest(faces)), room_(backend.make_host_room(2 * bytes_ * faces.size())) {}

  void start(const std::vector<Face>& faces) override {
    faces_ = faces;
    for (std::size_t i = 0; i < faces.size(); ++i) room_->take_from(faces[i].edge, out(i), faces[i].bytes);
  }

  void finish() override {
    std::vector<Ranks::Message> messages;
    messages.reserve(faces_.size());
    for (std::size_t i = 0; i < faces_.size(); ++i) {
      messages.push_back({faces_[i].rank, room_->data() + out(i), room_->data() + in(i), faces_[i].bytes});
    }
    room_->wait();
    ranks_.exchange(messages);
    for (std::size_t i = 0; i < faces_.size(); ++i) room_->give_to(faces_[i].halo, in(i), faces_[i].bytes);
  }

 private:
  [[nodiscard]] std::size_t out(std::size_t face) const { return 2 * bytes_ * face; }
  [[nodiscard]] std::size_t in(std::size_t face) const { return out(face) + bytes_; }

  Ranks& ranks_;
  std::size_t bytes_;
  std::unique_ptr<HostRoom> room_;  ///< [face][out, in]
  std::vector<Face> faces_;         ///< of the exchange under way
};

/// Error 69 where a neighbour's GPU is in another machine, or there is none.
std::unique_ptr<PeerLink> make_link(Ranks& ranks, Backend& backend, const std::vector<Face>& faces) {
  const auto nodes = ranks.gather(ranks.node());
  std::unique_ptr<PeerLink> link;
  ranks.together([&] {
    for (const Face& face : faces) {
      if (nodes[face.rank] != ranks.node()) {
        throw Error(ExitCode::unavailable, "a neighbour's GPU is in another machine",
                    "leave --transport out");
      }
    }
    link = backend.make_peer_link(largest(faces));
    if (link == nullptr) {
      throw Error(ExitCode::unavailable, "--transport ipc goes from GPU to GPU, this is the CPU",
                  "leave --transport out");
    }
  });
  return link;
}

}  // namespace

std::unique_ptr<Carrier> make_carrier(Transport transport, Ranks& ranks, Backend& backend,
                                      const std::vector<Face>& faces) {
  switch (transport) {
    case Transport::ipc:
      return std::make_unique<PeerCarrier>(ranks, make_link(ranks, backend, faces), faces);
    case Transport::staged:
      return std::make_unique<StagedCarrier>(ranks, backend, faces);
    case Transport::mpi:
      break;
  }
  ranks.together([&] {
    if (backend.info().kind == "cpu" || ranks.takes_gpu_memory()) return;
    throw Error(ExitCode::unavailable, text(mpi_library(), " does not take a GPU's memory"),
                "leave --transport out, or put a CUDA-aware MPI's mpicxx first on the PATH and build anew");
  });
  return std::make_unique<MpiCarrier>(ranks, backend);
}

}  // namespace minimod
