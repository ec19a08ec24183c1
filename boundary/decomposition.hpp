/// How a time step is split into launches: the three decompositions of Sai et al. (PMBS 2020).
#pragma once

#include <string>
#include <vector>

#include "boundary/regions.hpp"
#include "kernels/code_shape.hpp"
#include "src/base/choices.hpp"

namespace minimod {

enum class Decomposition {
  seven,  ///< the inner box and each of the six PML regions
  two,    ///< the inner box; the whole grid, where the points of the inner box are passed over
  one,    ///< the whole grid, each point with the formula of its place
};

inline constexpr NamedChoice<Decomposition> decomposition_names[] = {
    {Decomposition::seven, "seven"}, {Decomposition::two, "two"}, {Decomposition::one, "one"}};

[[nodiscard]] inline std::string decomposition_name(Decomposition decomposition) {
  return name_in(decomposition_names, decomposition);
}

/// One launch of a step.
struct RegionLaunch {
  std::string name;  ///< "inner", a PML region, "pml" or "whole"
  Formula formula = Formula::inner;
  Box3 box;
  Layout phi;  ///< layout of the PML's auxiliary field: of the region alone, or of the whole grid
};

/// Regions without points have none.
[[nodiscard]] std::vector<RegionLaunch> make_launches(const Grid& grid, const Regions& regions,
                                                      Decomposition decomposition);

}  // namespace minimod
