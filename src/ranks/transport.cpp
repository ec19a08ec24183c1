#include "src/ranks/transport.hpp"

#include <algorithm>

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

/// The hosts tell each other that a push was given to the GPU, not that it is over: both run ahead of it.
class PeerCarrier final : public Carrier {
 public:
  PeerCarrier(Ranks& ranks, Backend& backend, const std::vector<Face>& faces) : ranks_(ranks) {
    const auto nodes = ranks.gather(ranks.node());
    ranks.together([&] {
      for (const Face& face : faces) {
        if (nodes[face.rank] != ranks.node()) {
          throw Error(ExitCode::unavailable, "a neighbour's GPU is in another machine",
                      "use --transport staged");
        }
      }
      link_ = backend.make_peer_link(largest(faces));
      if (link_ == nullptr) {
        throw Error(ExitCode::unavailable, "--transport ipc goes from GPU to GPU, this is the CPU",
                    "leave --transport out");
      }
    });
    PeerCard card;
    ranks.together([&] { card = link_->card(); });
    const auto cards = ranks.gather(card);
    ranks.together([&] {
      for (const Face& face : faces) link_->connect(face.side, cards[face.rank], 1 - face.side);
    });
  }

  void start(const std::vector<Face>& faces) override {
    faces_ = faces;
    std::vector<Ranks::Message> given;
    for (const Face& face : faces) {
      link_->push(face.side, turn_, face.edge, face.bytes);
      given.push_back({face.rank, nullptr, nullptr, 0});
    }
    ranks_.start_exchange(given);
  }
  void finish() override {
    ranks_.finish_exchange();
    for (const Face& face : faces_) link_->take(face.side, turn_, face.halo, face.bytes);
    turn_ = (turn_ + 1) % PeerLink::turns;
  }

 private:
  Ranks& ranks_;
  std::unique_ptr<PeerLink> link_;
  int turn_ = 0;
  std::vector<Face> faces_;  ///< of the exchange under way
};

}  // namespace

std::unique_ptr<Carrier> make_carrier(Transport transport, Ranks& ranks, Backend& backend,
                                      const std::vector<Face>& faces) {
  switch (transport) {
    case Transport::ipc:
      return std::make_unique<PeerCarrier>(ranks, backend, faces);
    case Transport::staged:
      return std::make_unique<StagedCarrier>(ranks, backend, faces);
    case Transport::mpi:
      break;
  }
  ranks.together([&] {
    if (backend.info().kind == "cpu" || ranks.takes_gpu_memory()) return;
    throw Error(ExitCode::unavailable, text(mpi_library(), " does not take a GPU's memory"),
                "use --transport ipc or staged");
  });
  return std::make_unique<MpiCarrier>(ranks, backend);
}

}  // namespace minimod
