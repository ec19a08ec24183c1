#include "src/ranks/halos/peer_carrier.hpp"

#include <algorithm>

namespace minimod {

namespace {

/// The first of the faces at each side.
std::vector<Face> one_a_side(const std::vector<Face>& faces) {
  std::vector<Face> found;
  for (const Face& face : faces) {
    if (std::ranges::find(found, face.side, &Face::side) == found.end()) found.push_back(face);
  }
  return found;
}

}  // namespace

PeerCarrier::PeerCarrier(Ranks& ranks, std::unique_ptr<PeerLink> link, const std::vector<Face>& faces)
    : ranks_(ranks), link_(std::move(link)) {
  const std::vector<Face> sides = one_a_side(faces);
  for (const Face& face : sides) signals_.push_back({face.rank, nullptr, 0, nullptr, 0});
  const auto cards = ranks.gather(ranks.all_make([&] { return link_->card(); }));
  ranks.together([&] {
    for (const Face& face : sides) link_->connect(face.side, cards[face.rank], 1 - face.side);
  });
}

void PeerCarrier::open() {
  link_->begin(turn_);
  is_open_ = true;
}

/// Starts with what is ready early, as the others wait behind it.
void PeerCarrier::start(const std::vector<Face>& faces) {
  if (!is_open_) link_->begin(turn_);
  faces_ = faces;
  for (const bool early : {true, false}) {
    std::size_t at[PeerLink::faces] = {};
    for (const Face& face : faces) {
      if (face.ready.is_early() == early)
        link_->push(face.side, turn_, at[face.side], face.edge, face.edge_bytes, face.ready);
      at[face.side] += face.edge_bytes;
    }
  }
  ranks_.start_exchange(signals_);
}

void PeerCarrier::finish() {
  ranks_.finish_exchange();
  std::size_t at[PeerLink::faces] = {};
  for (const Face& face : faces_) {
    link_->take(face.side, turn_, at[face.side], face.halo, face.halo_bytes);
    at[face.side] += face.halo_bytes;
  }
  if (!is_open_) link_->keep_edges();
  is_open_ = false;
  turn_ = (turn_ + 1) % PeerLink::turns;
}

void PeerCarrier::end() {
  link_->disconnect();
  ranks_.exchange(signals_);
}

}  // namespace minimod
