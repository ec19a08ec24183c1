/// Drives of a shot's steps (boundary/adjoint/drive.hpp), a piece of the shot at once.
#pragma once

#include <vector>

#include "boundary/adjoint/drive.hpp"
#include "src/device/backend.hpp"
#include "src/job/gradient/history/reversal.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

class KeptDrives {
 public:
  /// As many as the reversal keeps at once, at the points of a grid (grid_of_drives). Error 71.
  KeptDrives(Backend& backend, const Grid& grid, const Reversal& reversal);

  /// The piece of steps first <= n < end takes the place of the one before.
  void begin_piece(int first, int end);
  [[nodiscard]] int end() const { return end_; }
  /// Whether step `step` is one of the piece whose drive is kept.
  [[nodiscard]] bool has(int step) const { return step >= first_ && step < end_ && step % every_ == 0; }
  /// A step's drive without ghosts, where the transpose has its points.
  [[nodiscard]] DriveField of_own(int step) const;
  /// Around each step of the shot.
  void before_step(Propagator& shot) const;
  void after_step(const Propagator& shot) const;

 private:
  [[nodiscard]] DriveField of(int step) const;
  Grid grid_;
  int every_, first_ = 0, end_ = 0;
  std::vector<DeviceReals> drives_;
};

}  // namespace minimod
