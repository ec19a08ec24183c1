#include "src/job/gradient/history/kept_drives.hpp"

namespace minimod {

KeptDrives::KeptDrives(Backend& backend, const Grid& grid, const Reversal& reversal)
    : grid_(grid), every_(reversal.every) {
  for (int i = 0; i < reversal.drives; ++i)
    drives_.emplace_back(backend, static_cast<std::size_t>(grid.n.points()), grid.precision);
}

void KeptDrives::begin_piece(int first, int end) {
  first_ = first;
  end_ = end;
}

DriveField KeptDrives::of(int step) const {
  return {drives_[static_cast<std::size_t>((step - first_) / every_)].at(), packed_layout(grid_.n)};
}

DriveField KeptDrives::of_own(int step) const {
  DriveField own = of(step);
  own.values = own.values + std::ptrdiff_t{own.layout.stride_z} * grid_.ghosts_above;
  return own;
}

void KeptDrives::before_step(Propagator& shot) const {
  if (has(shot.steps_done())) shot.keep_earlier();
}

void KeptDrives::after_step(const Propagator& shot) const {
  const int step = shot.steps_done() - 1;
  if (has(step)) shot.make_drive(of(step));
}

}  // namespace minimod
