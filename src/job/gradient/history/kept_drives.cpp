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

void KeptDrives::follow(const Propagator& shot, int step) const {
  if (has(step)) {
    DriveField next = of(step);
    if (has(step - 1)) next.before = of(step - 1).values;
    shot.begin_drive(next);
  } else if (has(step - 1)) {
    shot.end_drive(of(step - 1));
  }
}

}  // namespace minimod
