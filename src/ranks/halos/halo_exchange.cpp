#include "src/ranks/halos/halo_exchange.hpp"

#include "src/base/option.hpp"
#include "src/base/timer.hpp"

namespace minimod {

namespace {

/// Values of the edges at a side of a rank while a transport is tried.
class Pattern {
 public:
  Pattern(int rank, int side, int turn) : step_(4 * (rank + 1) + 2 * side + turn) {}
  /// Values of the next edge there.
  [[nodiscard]] std::vector<float> next(std::size_t bytes) {
    constexpr std::size_t exact = std::size_t{1} << 23;  // whole numbers that a float has
    std::vector<float> values(bytes / sizeof(float));
    for (float& value : values) value = static_cast<float>(++place_ * step_ % exact);
    return values;
  }

 private:
  std::size_t step_, place_ = 0;
};

/// The fastest first.
std::vector<Transport> candidates(const Backend& backend) {
  if (!backend.info().is_gpu()) return {Transport::mpi};
  return {Transport::ipc, Transport::mpi, Transport::staged};
}

/// Adds its lifetime.
class SecondsInto {
 public:
  explicit SecondsInto(double& sum) : sum_(sum) {}
  SecondsInto(const SecondsInto&) = delete;
  SecondsInto& operator=(const SecondsInto&) = delete;
  ~SecondsInto() { sum_ += timer_.seconds(); }

 private:
  double& sum_;
  Timer timer_;
};

/// Puts back what edges and halos have, unless an error ends the run.
class KeptValues {
 public:
  KeptValues(Backend& backend, const std::vector<Face>& faces) : backend_(backend) {
    for (const Face& face : faces) {
      keep(const_cast<void*>(face.edge), face.edge_bytes);
      keep(face.halo, face.halo_bytes);
    }
  }
  void put_back() {
    for (const auto& [at, bytes] : kept_) backend_.upload(at, bytes.data(), bytes.size());
  }

 private:
  void keep(void* at, std::size_t bytes) {
    if (bytes == 0) return;
    kept_.emplace_back(at, bytes);
    backend_.download(kept_.back().second.data(), at, bytes);
  }

  Backend& backend_;
  std::vector<std::pair<void*, std::vector<std::byte>>> kept_;
};

}  // namespace

/// For one side after the other, since the two edges of a thin slab may have planes in common, and as often
/// as a transport has turns, with other values each time.
void HaloExchange::prove(Carrier& carrier, const std::vector<Face>& faces) {
  for (int i = 0; i < 2 * PeerLink::turns; ++i) {
    const int side = i / PeerLink::turns, turn = i % PeerLink::turns;
    Pattern mine(ranks_.number(), side, turn);
    for (const Face& face : faces) {
      if (face.side != side) continue;
      const auto values = mine.next(face.edge_bytes);
      backend_.upload(const_cast<void*>(face.edge), values.data(), face.edge_bytes);
    }
    carrier.start(faces);
    carrier.finish();
    ranks_.together([&] {
      std::optional<Pattern> theirs;
      for (const Face& face : faces) {
        if (face.side == side) continue;
        if (!theirs) theirs.emplace(face.rank, side, turn);
        std::vector<float> values(face.halo_bytes / sizeof(float));
        backend_.download(values.data(), face.halo, face.halo_bytes);
        if (values == theirs->next(face.halo_bytes)) continue;
        throw Error(ErrorKind::unavailable,
                    text("the transport ", name_in(transport_names, transport_), " garbles what rank ",
                         face.rank, " sends to rank ", ranks_.number()),
                    "take another " + option("transport"));
      }
    });
  }
}

void HaloExchange::choose_transport(const std::vector<Face>& faces, std::optional<Transport> wanted) {
  const std::vector<Transport> tries = wanted ? std::vector{*wanted} : candidates(backend_);
  KeptValues values(backend_, faces);
  for (const Transport transport : tries) {
    try {
      transport_ = transport;
      auto carrier = make_carrier(transport, ranks_, backend_, faces);
      prove(*carrier, faces);
      carrier_ = CarrierInUse(std::move(carrier));
      values.put_back();
      return;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unavailable || transport == tries.back()) throw;
    }
  }
}

void HaloExchange::open() {
  if (carrier_) carrier_->open();
}

void HaloExchange::start(const std::vector<Face>& faces) {
  if (!carrier_) return;
  const SecondsInto counted(count_.seconds);
  carrier_->start(faces);
  for (const Face& face : faces) count_.bytes += static_cast<std::int64_t>(face.edge_bytes);
}

void HaloExchange::finish() {
  if (!carrier_) return;
  const SecondsInto counted(count_.seconds);
  carrier_->finish();
}

}  // namespace minimod
