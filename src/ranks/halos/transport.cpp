#include "src/ranks/halos/transport.hpp"

#include <algorithm>

#include "src/base/option.hpp"
#include "src/ranks/halos/peer_carrier.hpp"

namespace minimod {

namespace {

/// The most that goes one way at a side.
std::size_t most_bytes(const std::vector<Face>& faces) {
  std::size_t out[2] = {}, in[2] = {};
  for (const Face& face : faces) {
    out[face.side] += face.edge_bytes;
    in[face.side] += face.halo_bytes;
  }
  return std::max({out[0], out[1], in[0], in[1]});
}

class MpiCarrier final : public Carrier {
 public:
  MpiCarrier(Ranks& ranks, Backend& backend) : ranks_(ranks), backend_(backend) {}
  void start(const std::vector<Face>& faces) override {
    std::vector<Ranks::Message> messages;
    messages.reserve(faces.size());
    for (const Face& face : faces) {
      messages.push_back({face.rank, face.edge, face.edge_bytes, face.halo, face.halo_bytes});
    }
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
      : ranks_(ranks), staging_(backend.make_staging_buffer(4 * most_bytes(faces))) {}

  void start(const std::vector<Face>& faces) override {
    faces_ = faces;
    for_each_place([&](const Face& face, std::size_t out, std::size_t) {
      staging_->take_from(face.edge, out, face.edge_bytes);
    });
  }

  void finish() override {
    std::vector<Ranks::Message> messages;
    messages.reserve(faces_.size());
    for_each_place([&](const Face& face, std::size_t out, std::size_t in) {
      messages.push_back(
          {face.rank, staging_->data() + out, face.edge_bytes, staging_->data() + in, face.halo_bytes});
    });
    staging_->wait();
    ranks_.exchange(messages);
    for_each_place([&](const Face& face, std::size_t, std::size_t in) {
      staging_->give_to(face.halo, in, face.halo_bytes);
    });
    staging_->lead_launches();
  }

 private:
  /// Calls visit(face, out, in) with the bytes of the room where its edge and its halo begin.
  template <class Visit>
  void for_each_place(const Visit& visit) {
    std::size_t at = 0;
    for (const Face& face : faces_) {
      visit(face, at, at + face.edge_bytes);
      at += face.edge_bytes + face.halo_bytes;
    }
  }

  Ranks& ranks_;
  std::unique_ptr<StagingBuffer> staging_;  ///< [face][edge, halo]
  std::vector<Face> faces_;                 ///< faces of the exchange under way
};

/// Error 69 where a neighbour's GPU is in another machine, or there is none.
std::unique_ptr<PeerLink> make_link(Ranks& ranks, Backend& backend, const std::vector<Face>& faces) {
  const auto nodes = ranks.gather(ranks.node());
  const std::size_t bytes = std::ranges::max(ranks.gather(most_bytes(faces)));  // the same rooms everywhere
  std::unique_ptr<PeerLink> link;
  ranks.together([&] {
    for (const Face& face : faces) {
      if (nodes[face.rank] != ranks.node()) {
        throw Error(ErrorKind::unavailable, "a neighbour's GPU is in another machine",
                    text("leave ", option("transport"), " out"));
      }
    }
    link = backend.make_peer_link(bytes);
    if (link == nullptr) {
      throw Error(ErrorKind::unavailable, option("transport") + " ipc goes from GPU to GPU, this is the CPU",
                  text("leave ", option("transport"), " out"));
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
    if (!backend.info().is_gpu() || ranks.takes_gpu_memory()) return;
    throw Error(ErrorKind::unavailable, text(mpi_library(), " does not take a GPU's memory"),
                text("leave ", option("transport"),
                     " out, or put a CUDA-aware MPI's mpicxx first on the PATH and build anew"));
  });
  return std::make_unique<MpiCarrier>(ranks, backend);
}

}  // namespace minimod
