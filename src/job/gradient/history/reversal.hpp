/// The order in which the steps of a shot are computed once more, so that their drives come last first: where
/// memory holds the drives of all steps none are, else states along the way are kept to start from again
/// (Griewank 1992, with pieces of several steps in place of steps).
#pragma once

#include <cstddef>
#include <vector>

namespace minimod {

/// A part of the work, of which `step` is the number of steps that are done behind it.
struct ReversalAction {
  enum class Kind {
    advance,  ///< goes on to `step`
    record,   ///< the same, and keeps the drives
    save,     ///< keeps the state in `slot`
    restore,  ///< takes it; slot −1 is the fields at rest
    use,      ///< hands out the drives that are kept, last first, down to that of `step` → `step` + 1
  };
  Kind kind;
  int step = 0, slot = -1;
  friend bool operator==(const ReversalAction&, const ReversalAction&) = default;
};

struct Reversal {
  int every = 1;                  ///< steps from one drive that is kept to the next; the first step's is
  int drives = 0;                 ///< kept at once, at most
  int states = 0;                 ///< slots
  bool states_are_beside = true;  ///< in the memory that the drives are in, not another one
  int steps_computed = 0;         ///< by all passes
  std::vector<ReversalAction> actions;
};

/// Memory, or disk, that there is for the drives and states, bytes. On a host both are in one, which `states`
/// is then, unless the states are on disk.
struct ReversalMemory {
  std::size_t drives = 0, states = 0;
  bool is_one = true;
};

/// The reversal of so many steps that computes the fewest of those that fit, with its states beside the
/// drives where others would not save a step: a copy within a GPU's memory takes no time. Error 71 where not
/// two drives and a state fit.
[[nodiscard]] Reversal plan_reversal(int steps, int every, std::size_t drive_bytes, std::size_t state_bytes,
                                     const ReversalMemory& memory);

/// With pieces of so many steps and so many slots.
[[nodiscard]] Reversal make_reversal(int steps, int every, int drives, int states);

}  // namespace minimod
