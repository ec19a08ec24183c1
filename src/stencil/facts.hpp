/// Facts of a stencil's kernels that follow from its equations: how far they read, and what a point costs.
#pragma once

#include <vector>

#include "kernels/equations/arrays.hpp"
#include "src/stencil/language/specification.hpp"

namespace minimod::stencil {

struct ArrayFacts {
  std::vector<Index3> offsets;  ///< offsets that are read, each once: z slowest
  Reach reach;
  bool reads_corners = false;  ///< points off the axes
};

struct Facts {
  std::vector<ArrayFacts> arrays;  ///< as the specification has them
  Reach reach;                     ///< reach of all of them
  bool reads_corners = false;
  bool reads_corners_off_plane = false;  ///< points off the plane that stand neither above nor below
  bool is_linear = false;                ///< outputs are sums of values times weights (linear_form.hpp)
  int points = 0;                        ///< different offsets, over all arrays
  int loads = 0;                         ///< different values that a point needs
  int stores = 0;
  /// At a point as written. What depends on numbers and scalars alone, and signs, cost nothing.
  int additions = 0, multiplications = 0, divisions = 0;
  int functions = 0;  ///< minima, maxima and roots; a magnitude is a sign
  [[nodiscard]] int operations() const { return additions + multiplications + divisions + functions; }
  int compulsory_bytes = 0;  ///< bytes of a point: each input read once, each output written once
};

[[nodiscard]] Facts facts_of(const Specification& specification);

/// Planes that are read of an array whose values other arrays take over, by all of these: below and above a
/// point's own (z less, z greater).
struct PlanesRead {
  int array = 0;
  int lower = 0, upper = 0;
};
/// Planes of outputs that a step must tell the processes that hold the planes beside its own; each once.
[[nodiscard]] std::vector<PlanesRead> planes_read_of_outputs(const Specification& specification);

/// The arrays that hold what was computed when a step has been made and its values were handed on: inputs
/// that take over others' values, and outputs whose values none takes over.
[[nodiscard]] std::vector<int> results_of(const Specification& specification);

/// The array that has the values of `array` in the next step, and so on to the last: where none takes them
/// over, `array`. All arrays on the way have the same values in their halos.
[[nodiscard]] int last_heir_of(const Specification& specification, int array);

}  // namespace minimod::stencil
