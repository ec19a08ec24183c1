#include "src/ranks/peer_carrier.hpp"

namespace minimod {

PeerCarrier::PeerCarrier(Ranks& ranks, std::unique_ptr<PeerLink> link, const std::vector<Face>& faces)
    : ranks_(ranks), link_(std::move(link)) {
  for (const Face& face : faces) signals_.push_back({face.rank, nullptr, nullptr, 0});
  PeerCard card;
  ranks.together([&] { card = link_->card(); });
  const auto cards = ranks.gather(card);
  ranks.together([&] {
    for (const Face& face : faces) link_->connect(face.side, cards[face.rank], 1 - face.side);
  });
}

void PeerCarrier::start(const std::vector<Face>& faces) {
  faces_ = faces;
  for (const Face& face : faces) link_->push(face.side, turn_, face.edge, face.bytes);
  ranks_.start_exchange(signals_);
}

void PeerCarrier::finish() {
  ranks_.finish_exchange();
  for (const Face& face : faces_) link_->take(face.side, turn_, face.halo, face.bytes);
  turn_ = (turn_ + 1) % PeerLink::turns;
}

void PeerCarrier::end() {
  link_->disconnect();
  ranks_.exchange(signals_);
}

}  // namespace minimod
