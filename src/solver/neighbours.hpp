/// Neighbours of a slab, which hold the rest of its domain.
#pragma once

#include <functional>
#include <span>

#include "src/base/reals.hpp"
#include "src/device/field_kernels.hpp"
#include "src/solver/fields/fields.hpp"

namespace minimod {

class Propagator;

/// Takes the values of a part of the state, in its precision, from index `first` on. Parts come one after the
/// other, from their beginning to their end.
using StateSink = std::function<void(const FieldPart& part, std::size_t first, const Reals& values)>;
/// Gives them.
using StateSource = std::function<void(const FieldPart& part, std::size_t first, Reals& values)>;

/// All slabs of a domain make the same calls in the same order.
class Neighbours {
 public:
  Neighbours() = default;
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;
  virtual ~Neighbours() = default;

  /// Sends the edges of all arrays with a role to the ghosts and halos of the neighbours: behind the launches
  /// of lane 0 so far, or those above when they are ready, and beside those that follow, which must not write
  /// to the edges.
  virtual void start_exchange(const Fields& fields, FieldRole role, const Ready& above) = 0;
  /// Has the launches of lane 0 that follow find the neighbours' edges there.
  virtual void finish_exchange() = 0;
  /// Before the launches that make a field whose edges go next. They leave its ghosts and halos alone, which
  /// may be filled from here on; and what follows leaves the edges alone until the next such call but one, as
  /// they may be sent until then. (Fields may be put to rest before: the neighbours' are, too.)
  virtual void open_exchange() = 0;
  void exchange(const Fields& fields, FieldRole role) {
    start_exchange(fields, role, {});
    finish_exchange();
  }

  /// Over all slabs.
  [[nodiscard]] virtual Extremes of_all(const Extremes& here) = 0;
  /// The greatest; of equal ones the one with the least z. `here` counts z in the domain.
  [[nodiscard]] virtual Peak of_all(const Peak& here) = 0;
  /// Values of which each is one slab's; the others give 0.
  [[nodiscard]] virtual std::vector<double> from_owners(const std::vector<double>& here) = 0;

  /// The state of the domain as one propagator of all of it would have it, without a step that is ahead,
  /// through the first slab: its sink and source are called, those of the others are not. An error of theirs
  /// is thrown on all, at the end.
  virtual void collect_state(const Propagator& slab, const StateSink& sink) = 0;
  virtual void distribute_state(Propagator& slab, const StateSource& source) = 0;
  [[nodiscard]] virtual std::size_t state_bytes() const = 0;
};

}  // namespace minimod
