/// The card of the fake library, whose symbol `fake_card` it is.
#pragma once

namespace minimod {

struct FakeCard {
  int init_status = 0, shutdowns = 0;
  bool has_counter = true, has_power = true;
  unsigned long long millijoules = 1000, millijoules_a_read = 0, reasons = 0;
  unsigned milliwatts = 500000, clock_mhz = 1755;
};

}  // namespace minimod
