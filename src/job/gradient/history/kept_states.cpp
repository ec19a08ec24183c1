#include "src/job/gradient/history/kept_states.hpp"

#include <algorithm>

#include "src/solver/fields/checkpoint.hpp"

namespace minimod {

KeptStates::KeptStates(Backend& backend, const Reversal& reversal, std::size_t bytes,
                       const std::string& folder)
    : backend_(backend),
      are_beside_(reversal.states_are_beside),
      bytes_(bytes),
      states_(static_cast<std::size_t>(reversal.states)) {
  if (!folder.empty() && !are_beside_) on_disk_.emplace(folder, states_.size() * bytes);
}

void KeptStates::save(int slot, const Propagator& shot) {
  State& state = states_[static_cast<std::size_t>(slot)];
  state.is_ahead = shot.is_ahead();
  if (are_beside_) {
    const std::vector<FieldPart> parts = shot.state(state.is_ahead);
    state.beside.resize(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      DeviceReals& copy = state.beside[i];
      if (copy.size() != parts[i].size) copy = DeviceReals(backend_, parts[i].size, parts[i].at.precision);
      backend_.copy(copy.data(), parts[i].at.data, copy.bytes());
    }
    return;
  }
  const Precision precision = shot.fields().grid().precision;
  if (!on_disk_ && state.on_host.empty()) state.on_host = Reals(precision, bytes_ / bytes_of(precision));
  std::size_t at = 0;
  read_own_state(shot, [&](const FieldPart&, std::size_t, const Reals& values) {
    if (on_disk_) {
      on_disk_->write(slot * bytes_ + at, values.raw());
    } else {
      std::ranges::copy(values.raw(), state.on_host.raw().subspan(at).begin());
    }
    at += values.bytes();
  });
}

void KeptStates::restore(int slot, int step, Propagator& shot) const {
  if (slot < 0) {
    shot.set_at_rest();
    return shot.resume(0, false);
  }
  const State& state = states_[static_cast<std::size_t>(slot)];
  if (are_beside_) {
    const std::vector<FieldPart> parts = shot.state(state.is_ahead);
    for (std::size_t i = 0; i < parts.size(); ++i)
      backend_.copy(parts[i].at.data, state.beside[i].data(), parts[i].bytes());
    return shot.resume(step, state.is_ahead);
  }
  std::size_t at = 0;
  const auto read = [&](const FieldPart&, std::size_t, Reals& values) {
    if (on_disk_) {
      on_disk_->read(slot * bytes_ + at, values.raw());
    } else {
      std::ranges::copy(state.on_host.raw().subspan(at, values.bytes()), values.raw().begin());
    }
    at += values.bytes();
  };
  put_back_own(step, state.is_ahead, read, shot);
}

}  // namespace minimod
