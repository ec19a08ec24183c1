#include "src/ranks/rank_neighbours.hpp"

#include <algorithm>
#include <chrono>

#include "src/solver/propagator.hpp"

namespace minimod {

namespace {

/// What an edge holds while a transport is tried: values by rank, turn, and the place in the slab, of `all`
/// values, since the two edges of a thin one are the same planes.
std::vector<float> pattern(int rank, int turn, std::size_t all, int side, std::size_t count) {
  constexpr std::size_t exact = std::size_t{1} << 23;  // whole numbers that a float has
  const std::size_t first = side == 0 ? 0 : all - count;
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>((first + i + 1) * (rank + 1 + turn) % exact);
  }
  return values;
}

/// The fastest first.
std::vector<Transport> candidates(const Backend& backend) {
  if (backend.info().kind == "cpu") return {Transport::mpi};
  return {Transport::ipc, Transport::mpi, Transport::staged};
}

/// Adds its lifetime.
class SecondsInto {
 public:
  explicit SecondsInto(double& sum) : sum_(sum) {}
  SecondsInto(const SecondsInto&) = delete;
  SecondsInto& operator=(const SecondsInto&) = delete;
  ~SecondsInto() { sum_ += std::chrono::duration<double>(Clock::now() - began_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_;
  Clock::time_point began_ = Clock::now();
};

}  // namespace

/// Until the next call.
template <class Planes>
const std::vector<Face>& RankNeighbours::faces(const Planes& planes) {
  faces_.clear();
  const auto add = [&](int rank, Fields::Side side) {
    const auto [edge, there] = planes(side);
    faces_.push_back({rank, side == Fields::Side::above ? 0 : 1, edge.at.data, there.at.data, edge.bytes()});
  };
  if (ranks_.number() > 0) add(ranks_.number() - 1, Fields::Side::above);
  if (ranks_.number() + 1 < ranks_.size()) add(ranks_.number() + 1, Fields::Side::below);
  return faces_;
}

const std::vector<Face>& RankNeighbours::faces_of(const Fields& fields, RealsAt field) {
  return faces(
      [&](Fields::Side side) { return std::pair(fields.edge(field, side), fields.halo(field, side)); });
}

/// As often as a transport has turns, with other values each time.
void RankNeighbours::prove(Carrier& carrier, const std::vector<Face>& faces, const Grid& grid) {
  const std::size_t own =
      grid.own().extent().z * grid.layout.stride_z * bytes_of(grid.precision) / sizeof(float);
  const std::vector<std::size_t> of_rank = ranks_.gather(own);
  for (int turn = 0; turn < PeerLink::turns; ++turn) {
    for (const Face& face : faces) {
      const auto values = pattern(ranks_.number(), turn, own, face.side, face.bytes / sizeof(float));
      backend_.upload(const_cast<void*>(face.edge), values.data(), face.bytes);
    }
    carrier.start(faces);
    carrier.finish();
    ranks_.together([&] {
      for (const Face& face : faces) {
        std::vector<float> values(face.bytes / sizeof(float));
        backend_.download(values.data(), face.halo, face.bytes);
        if (values == pattern(face.rank, turn, of_rank[face.rank], 1 - face.side, values.size())) continue;
        throw Error(ExitCode::unavailable,
                    text("the transport ", name_in(transport_names, transport_), " garbles what rank ",
                         face.rank, " sends to rank ", ranks_.number()),
                    "take another --transport");
      }
    });
  }
  for (const Face& face : faces) {
    backend_.clear(const_cast<void*>(face.edge), face.bytes);
    backend_.clear(face.halo, face.bytes);
  }
}

void RankNeighbours::choose_transport(const Fields& fields, std::optional<Transport> wanted) {
  const std::vector<Face>& faces = faces_of(fields, fields.u.at());
  const std::vector<Transport> tries = wanted ? std::vector{*wanted} : candidates(backend_);
  for (const Transport transport : tries) {
    try {
      transport_ = transport;
      auto carrier = make_carrier(transport, ranks_, backend_, faces);
      prove(*carrier, faces, fields.grid());
      carrier_ = CarrierInUse(std::move(carrier));
      return;
    } catch (const Error& error) {
      if (error.code() != ExitCode::unavailable || transport == tries.back()) throw;
    }
  }
}

void RankNeighbours::start_exchange(const Fields& fields, RealsAt field) {
  if (!carrier_) return;
  const SecondsInto counted(count_.seconds);
  const std::vector<Face>& faces = faces_of(fields, field);
  carrier_->start(faces);
  for (const Face& face : faces) count_.bytes += static_cast<std::int64_t>(face.bytes);
}

void RankNeighbours::finish_exchange() {
  if (!carrier_) return;
  const SecondsInto counted(count_.seconds);
  carrier_->finish();
}

void RankNeighbours::fill_ghosts(const Fields& fields) {
  exchange(fields, fields.u_before.at());
  if (!carrier_) return;
  const auto sides = {Fields::Side::above, Fields::Side::below};
  std::size_t count = 0;
  for (const Fields::Side side : sides) count = std::max(count, fields.phi_ghosts(side).size());
  for (std::size_t i = 0; i < count; ++i) {
    carrier_->start(faces([&](Fields::Side side) {
      const Fields::PhiGhosts phi = fields.phi_ghosts(side)[i];
      return std::pair(phi.edge, phi.ghosts);
    }));
    carrier_->finish();
  }
}

Extremes RankNeighbours::of_all(const Extremes& here) {
  Extremes found = here;
  for (const Extremes& there : ranks_.gather(here)) {
    found = {std::min(found.min, there.min), std::max(found.max, there.max), found.finite && there.finite};
  }
  return found;
}

Peak RankNeighbours::of_all(const Peak& here) {
  const std::vector<Peak> peaks = ranks_.gather(here);
  return *std::ranges::max_element(peaks, {}, &Peak::bits);
}

double RankNeighbours::from_owner(double here) {
  double found = 0;
  for (const double value : ranks_.gather(here)) found += value;
  return found;
}

/// Calls visit(run, part, first, here, values) for each piece that this rank has, and, on the first one, for
/// all: `part` is the domain's, `first` where its values begin there, `here` this rank's memory of them, null
/// where they are another's.
template <class Visit>
void RankNeighbours::for_each_piece(const Propagator& slab, const Visit& visit) {
  constexpr std::size_t most_values = std::size_t{1} << 24;
  const Precision precision = slab.fields().grid().precision;
  const std::vector<FieldPart> mine = slab.state(false);
  Reals room(precision, 0);
  for (std::size_t i = 0; i < state_.size(); ++i) {
    const FieldPart part{state_[i].name, {nullptr, precision}, state_[i].size};
    for (const StateRun& run : state_[i].runs) {
      const bool is_mine = run.rank == ranks_.number();
      for (std::size_t done = 0; done < run.count && (is_mine || ranks_.is_first()); done += most_values) {
        room.resize(std::min(most_values, run.count - done));
        const auto at = static_cast<std::ptrdiff_t>(run.here + done);
        void* const here = is_mine ? (mine[i].at + at).data : nullptr;
        visit(run.rank, part, run.in_domain + done, here, room);
      }
    }
  }
}

/// What fails on the first rank must not leave the others waiting: they send all that they have.
void RankNeighbours::collect_state(const Propagator& slab, const StateSink& sink) {
  std::optional<Error> failure;
  for_each_piece(slab,
                 [&](int rank, const FieldPart& part, std::size_t first, const void* here, Reals& values) {
                   if (here == nullptr) {
                     ranks_.receive(rank, values.raw());
                   } else {
                     backend_.download(values.at().data, here, values.bytes());
                   }
                   if (!ranks_.is_first()) return ranks_.send(0, values.raw());
                   try {
                     if (!failure) sink(part, first, values);
                   } catch (const Error& error) {
                     failure = error;
                   }
                 });
  ranks_.on_first([&] {
    if (failure) throw Error(*failure);
  });
}

void RankNeighbours::distribute_state(Propagator& slab, const StateSource& source) {
  std::optional<Error> failure;
  for_each_piece(slab, [&](int rank, const FieldPart& part, std::size_t first, void* here, Reals& values) {
    try {
      if (ranks_.is_first() && !failure) source(part, first, values);
    } catch (const Error& error) {
      failure = error;
    }
    if (!ranks_.is_first()) ranks_.receive(0, values.raw());
    if (here == nullptr) return ranks_.send(rank, values.raw());
    backend_.upload(here, values.at().data, values.bytes());
  });
  ranks_.on_first([&] {
    if (failure) throw Error(*failure);
  });
}

std::size_t RankNeighbours::state_bytes() const {
  std::size_t values = 0;
  for (const StatePart& part : state_) values += part.size;
  return values * bytes_of(precision_);
}

}  // namespace minimod
