#include "src/ranks/halos/rank_neighbours.hpp"

#include <algorithm>

#include "src/solver/propagator.hpp"

namespace minimod {

std::vector<Face> RankNeighbours::faces(const Fields& fields, FieldRole role, const Ready& above) const {
  std::vector<Face> faces;
  exchange_.for_each_neighbour([&](int rank, int side) {
    const bool is_above = side == 0;
    for (const auto& [halo, edge] :
         fields.shared(role, is_above ? Fields::Side::above : Fields::Side::below)) {
      faces.push_back(
          {rank, side, edge.at.data, edge.bytes(), halo.at.data, halo.bytes(), is_above ? above : Ready()});
    }
  });
  return faces;
}

void RankNeighbours::choose_transport(const Fields& fields, std::optional<Transport> wanted) {
  exchange_.choose_transport(faces(fields, FieldRole::state, {}), wanted);
}

void RankNeighbours::open_exchange() {
  exchange_.open();
}

void RankNeighbours::start_exchange(const Fields& fields, FieldRole role, const Ready& above) {
  exchange_.start(faces(fields, role, above));
}

void RankNeighbours::finish_exchange() {
  exchange_.finish();
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

std::vector<double> RankNeighbours::from_owners(const std::vector<double>& here) {
  std::vector<double> found(here.size());
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    const std::vector<double> theirs = ranks_.from(rank, here);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] += theirs[i];
  }
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
  for (const StatePart& whole : state_) {
    const FieldPart part{whole.name, {nullptr, precision}, whole.size};
    for (const StateRun& run : whole.runs) {
      const bool is_mine = run.rank == ranks_.number();
      for (std::size_t done = 0; done < run.count && (is_mine || ranks_.is_first()); done += most_values) {
        room.resize(std::min(most_values, run.count - done));
        const auto at = static_cast<std::ptrdiff_t>(run.here + done);
        void* const here =
            is_mine ? (std::ranges::find(mine, part.name, &FieldPart::name)->at + at).data : nullptr;
        visit(run.rank, part, run.in_domain + done, here, room);
      }
    }
  }
}

/// A failure on the first rank must not leave the others waiting: they send all that they have.
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
