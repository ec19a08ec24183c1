/// A stencil computed from its equations, point after point and in double: what kernels must agree with.
#pragma once

#include <vector>

#include "src/stencil/facts.hpp"

namespace minimod::stencil {

/// The order of the points of a step.
enum class Sweep {
  at_once,    ///< all read what was there before the step
  red_black,  ///< points of even x + y + z first; the others read what these have then
};

/// x fastest.
template <class Body>
void for_each_point(Extent3 n, const Body& body) {
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) body(Index3{x, y, z});
    }
  }
}

class Interpreter {
 public:
  /// Arrays of `n` points and, around them, as many as the stencil reaches over.
  Interpreter(Specification specification, Extent3 n);

  /// Computes every point of the outputs, and hands the arrays on as the specification says; by colours, what
  /// was computed is handed on after each.
  void step(Sweep sweep = Sweep::at_once);

  [[nodiscard]] const Specification& specification() const { return specification_; }
  /// Value of the array at a point of grid or halo.
  [[nodiscard]] double value(int array, Index3 point) const { return arrays_[array][index_of(point)]; }
  void set_value(int array, Index3 point, double value) { arrays_[array][index_of(point)] = value; }

 private:
  [[nodiscard]] std::size_t index_of(Index3 point) const;
  void compute(Index3 point);
  void step_of_colour(int colour);
  void hand_on();

  Specification specification_;
  Extent3 n_;
  Reach reach_;
  std::vector<std::vector<double>> arrays_;
  std::vector<double> temporaries_;  ///< at the point at hand
};

}  // namespace minimod::stencil
