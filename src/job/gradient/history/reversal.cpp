#include "src/job/gradient/history/reversal.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

using ActionKind = ReversalAction::Kind;

constexpr int most_pieces = 256;

/// The least pieces that must be computed to have `count` of them last first from a state before them, with
/// `slots` more states, and where the first of these lies.
class PieceTable {
 public:
  PieceTable(int count, int slots) : slots_(slots), cells_(std::size_t(count + 1) * (slots + 1)) {
    for (int c = 2; c <= count; ++c) {
      at(c, 0) = {c * (c + 1) / 2, 0};
      for (int s = 1; s <= slots; ++s) fill(c, s);
    }
  }
  [[nodiscard]] int cost(int count, int slots) const { return count == 1 ? 1 : cell(count, slots).cost; }
  [[nodiscard]] int split(int count, int slots) const { return cell(count, slots).split; }

 private:
  struct Cell {
    int cost = 1, split = 0;
  };
  void fill(int count, int slots) {
    Cell best{std::numeric_limits<int>::max(), 0};
    for (int m = 1; m < count; ++m) {
      const int sum = m + cost(count - m, slots - 1) + cost(m, slots);
      if (sum < best.cost) best = {sum, m};
    }
    at(count, slots) = best;
  }
  [[nodiscard]] Cell& at(int count, int slots) { return cells_[std::size_t(count) * (slots_ + 1) + slots]; }
  [[nodiscard]] const Cell& cell(int count, int slots) const {
    return cells_[std::size_t(count) * (slots_ + 1) + slots];
  }

  int slots_;
  std::vector<Cell> cells_;
};

/// Writes the actions of pieces.
class Planner {
 public:
  Planner(int steps, int every, int drives, int states)
      : steps_(steps),
        steps_of_piece_(drives * every),
        pieces_((steps + steps_of_piece_ - 1) / steps_of_piece_),
        table_(pieces_, states),
        plan_{every, drives, states, true, 0, {}} {
    reverse(0, pieces_, 0, -1);
  }
  [[nodiscard]] Reversal take() { return std::move(plan_); }

 private:
  [[nodiscard]] int step_of(int piece) const { return std::min(piece * steps_of_piece_, steps_); }
  void add(ActionKind kind, int step, int slot = -1) { plan_.actions.push_back({kind, step, slot}); }
  void advance(ActionKind kind, int from, int to) {
    add(kind, step_of(to));
    plan_.steps_computed += step_of(to) - step_of(from);
  }

  /// From the state before piece `first`, which the fields are in and slot `base` has; slots from `used` on
  /// are free.
  void reverse(int first, int count, int used, int base) {
    if (count == 1) {
      advance(ActionKind::record, first, first + 1);
      return add(ActionKind::use, step_of(first));
    }
    const int free = plan_.states - used;
    if (free == 0) {
      for (int last = count - 1; last >= 0; --last) {
        if (last < count - 1) add(ActionKind::restore, step_of(first), base);
        if (last > 0) advance(ActionKind::advance, first, first + last);
        reverse(first + last, 1, used, base);
      }
      return;
    }
    const int m = table_.split(count, free);
    advance(ActionKind::advance, first, first + m);
    add(ActionKind::save, step_of(first + m), used);
    reverse(first + m, count - m, used + 1, used);
    add(ActionKind::restore, step_of(first), base);
    reverse(first, m, used, base);
  }

  int steps_, steps_of_piece_, pieces_;
  PieceTable table_;
  Reversal plan_;
};

/// Drives and states of the reversal that computes the fewest pieces.
struct Cheapest {
  int drives = 0, states = 0, cost = std::numeric_limits<int>::max();
};

/// The cheapest that fits; `for_states`: nothing where states are in what the drives leave.
Cheapest cheapest(int kept, std::size_t drive_bytes, std::size_t state_bytes, std::size_t for_drives,
                  std::optional<std::size_t> for_states) {
  Cheapest best;
  for (int pieces = 1; pieces <= std::min(kept, most_pieces); ++pieces) {
    const int drives = (kept + pieces - 1) / pieces;
    if (drives * drive_bytes > for_drives) continue;
    const std::size_t room = for_states.value_or(for_drives - drives * drive_bytes);
    const int states = static_cast<int>(std::min<std::size_t>(room / state_bytes, pieces - 1));
    const int cost = PieceTable(pieces, states).cost(pieces, states) * drives;
    if (cost < best.cost) best = {drives, states, cost};
    if (states == pieces - 1) break;  // more pieces only take more steps
  }
  return best;
}

}  // namespace

Reversal make_reversal(int steps, int every, int drives, int states) {
  return Planner(steps, every, std::min(drives, (steps + every - 1) / every), states).take();
}

Reversal plan_reversal(int steps, int every, std::size_t drive_bytes, std::size_t state_bytes,
                       const ReversalMemory& memory) {
  const int kept = (steps + every - 1) / every;
  const std::size_t for_drives = memory.is_one ? memory.states : memory.drives;
  const Cheapest beside = cheapest(kept, drive_bytes, state_bytes, for_drives, {});
  const Cheapest apart =
      memory.is_one ? Cheapest() : cheapest(kept, drive_bytes, state_bytes, for_drives, memory.states);
  const bool are_beside = beside.cost <= apart.cost;
  const Cheapest& best = are_beside ? beside : apart;
  if (best.drives > 0) {
    Reversal reversal = make_reversal(steps, every, best.drives, best.states);
    reversal.states_are_beside = are_beside;
    return reversal;
  }
  const int least = (kept + most_pieces - 1) / most_pieces;
  throw Error(ErrorKind::resource,
              text("a gradient keeps ", least, " fields of ", drive_bytes, " bytes at least, ", for_drives,
                   " bytes are free"),
              text("take a smaller ", option("grid"), ", fewer steps or more ", option("memory")));
}

}  // namespace minimod
