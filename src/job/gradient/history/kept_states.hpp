/// States of a shot along the way, from which steps of it are computed once more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/base/files/scratch_file.hpp"
#include "src/base/reals.hpp"
#include "src/device/backend.hpp"
#include "src/job/gradient/history/reversal.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

/// A slab keeps its own, with their halos.
class KeptStates {
 public:
  /// In the reversal's slots, of so many bytes each: beside the drives, or as the reversal says, apart from
  /// them, on disk where there is a folder for it, else on the host. Errors: those of ScratchFile.
  KeptStates(Backend& backend, const Reversal& reversal, std::size_t bytes, const std::string& folder);

  [[nodiscard]] bool are_on_disk() const { return on_disk_.has_value(); }
  /// Keeps the state of the shot between two steps. Errors: 71, 74.
  void save(int slot, const Propagator& shot);
  /// Has the shot go on behind step `step` from what the slot has; slot −1 is the fields at rest. Error 74.
  void restore(int slot, int step, Propagator& shot) const;

 private:
  struct State {
    std::vector<DeviceReals> beside;  ///< parts
    Reals on_host;                    ///< parts one behind the other
    bool is_ahead = false;
  };

  Backend& backend_;
  bool are_beside_;
  std::size_t bytes_;
  std::vector<State> states_;           ///< by slot
  std::optional<ScratchFile> on_disk_;  ///< parts one behind the other, by slot
};

}  // namespace minimod
