/// The time for which the host will emulate a GPU's threads, said before it does.
#pragma once

#include "kernels/code_shape.hpp"

namespace minimod {

/// Work that one core does thread by thread, block by block.
class EmulatedWork {
 public:
  /// Adds updates of points, each of so many floating-point operations, by a kernel whose threads meet at
  /// barriers, or not.
  void add(double updates, double operations, bool has_barriers);
  /// Adds `steps` steps of the wave equation over n points by a shape whose threads are emulated; nothing for
  /// one of the host's own.
  void add_steps(const CodeShape& shape, Extent3 n, double steps);

  /// An estimate to a factor of three, by the rates of a core of an AMD EPYC at 3.6 GHz with the wave
  /// equation and with stencils of 7 to 27 points.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// Tells the estimate where it is over 20 s, so that nobody waits unwarned.
  void announce() const;

 private:
  double seconds_ = 0;
};

}  // namespace minimod
