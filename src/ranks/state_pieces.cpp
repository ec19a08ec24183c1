#include "src/ranks/state_pieces.hpp"

#include <algorithm>
#include <optional>

namespace minimod {

namespace {

/// Calls visit(run, part, first, here, values) for each piece that this rank has, and, on the first one, for
/// all: `part` is the whole one, `first` where the piece's values begin in it, `here` where in this rank's
/// share, nothing where they are another's.
template <class Visit>
void for_each_piece(const Ranks& ranks, const std::vector<StatePart>& state, const Visit& visit) {
  constexpr std::size_t most_values = std::size_t{1} << 24;
  for (const StatePart& whole : state) {
    const FieldPart part{whole.name, {nullptr, whole.precision}, whole.size};
    Reals room(whole.precision, 0);
    for (const StateRun& run : whole.runs) {
      const bool is_mine = run.rank == ranks.number();
      for (std::size_t done = 0; done < run.count && (is_mine || ranks.is_first()); done += most_values) {
        room.resize(std::min(most_values, run.count - done));
        const auto here = is_mine ? std::optional(run.here + done) : std::nullopt;
        visit(run.rank, part, run.in_domain + done, here, room);
      }
    }
  }
}

/// The first failure of the first rank, which must not leave the others waiting: all pieces go their way
/// before it is thrown.
class HeldFailure {
 public:
  template <class Work>
  void attempt(const Work& work) {
    try {
      if (!failure_) work();
    } catch (const Error& error) {
      failure_ = error;
    }
  }
  void throw_on_all(Ranks& ranks) const {
    ranks.on_first([this] {
      if (failure_) throw Error(*failure_);
    });
  }

 private:
  std::optional<Error> failure_;
};

}  // namespace

void collect_on_first(Ranks& ranks, const std::vector<StatePart>& state, const OwnValues& take,
                      const StateSink& sink) {
  HeldFailure failure;
  for_each_piece(ranks, state,
                 [&](int rank, const FieldPart& part, std::size_t first, const auto& here, Reals& values) {
                   if (here) {
                     take(part.name, *here, values);
                   } else {
                     ranks.receive(rank, values.raw());
                   }
                   if (!ranks.is_first()) return ranks.send(0, values.raw());
                   failure.attempt([&] { sink(part, first, values); });
                 });
  failure.throw_on_all(ranks);
}

void distribute_from_first(Ranks& ranks, const std::vector<StatePart>& state, const OwnValues& put,
                           const StateSource& source) {
  HeldFailure failure;
  for_each_piece(ranks, state,
                 [&](int rank, const FieldPart& part, std::size_t first, const auto& here, Reals& values) {
                   if (ranks.is_first()) {
                     failure.attempt([&] { source(part, first, values); });
                   } else {
                     ranks.receive(0, values.raw());
                   }
                   if (!here) return ranks.send(rank, values.raw());
                   put(part.name, *here, values);
                 });
  failure.throw_on_all(ranks);
}

}  // namespace minimod
