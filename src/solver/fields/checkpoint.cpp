#include "src/solver/fields/checkpoint.hpp"

#include <algorithm>

namespace minimod {

namespace {

constexpr std::size_t values_of_piece = std::size_t{1} << 24;

/// Calls visit(part, first, values) for each piece of the parts, with room for its values.
template <class Visit>
void for_each_piece(const std::vector<FieldPart>& parts, Visit visit) {
  if (parts.empty()) return;
  Reals room(parts.front().at.precision, 0);
  for (const FieldPart& part : parts) {
    for (std::size_t first = 0; first < part.size; first += values_of_piece) {
      room.resize(std::min(values_of_piece, part.size - first));
      visit(part, first, room);
    }
  }
}

}  // namespace

void read_state(const Propagator& propagator, const StateSink& sink) {
  if (propagator.neighbours() == nullptr) return read_own_state(propagator, sink);
  propagator.check_status();
  propagator.neighbours()->collect_state(propagator, sink);
}

void read_own_state(const Propagator& propagator, const StateSink& sink) {
  propagator.check_status();
  const auto read = [&](const FieldPart& part, std::size_t first, Reals& values) {
    propagator.fields().take(part.name, first, values);
    sink(part, first, values);
  };
  for_each_piece(propagator.state(propagator.is_ahead()), read);
}

std::size_t state_bytes(const Propagator& propagator) {
  if (propagator.neighbours() != nullptr) return propagator.neighbours()->state_bytes();
  std::size_t bytes = 0;
  for (const FieldPart& part : propagator.state(propagator.is_ahead())) bytes += part.bytes();
  return bytes;
}

void put_back(int steps_done, bool is_ahead, const StateSource& source, Propagator& propagator) {
  if (propagator.neighbours() == nullptr) return put_back_own(steps_done, is_ahead, source, propagator);
  propagator.neighbours()->distribute_state(propagator, source);
  propagator.resume(steps_done, is_ahead);
}

void put_back_own(int steps_done, bool is_ahead, const StateSource& source, Propagator& propagator) {
  for_each_piece(propagator.state(is_ahead), [&](const FieldPart& part, std::size_t first, Reals& values) {
    source(part, first, values);
    propagator.fields().put(part.name, first, values);
  });
  propagator.resume(steps_done, is_ahead);
}

}  // namespace minimod
