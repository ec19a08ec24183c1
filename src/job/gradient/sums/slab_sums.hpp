/// Sums of a shot whose domain is cut into slabs: what a slab has of its neighbours, and how those of all
/// come together.
#pragma once

#include <vector>

#include "src/job/gradient/sums/node_sums.hpp"
#include "src/ranks/problem.hpp"

namespace minimod {

/// Planes z of the domain, and values at the points in them, x fastest.
struct PlaneValues {
  IndexRange planes;
  std::vector<double> values;
};

/// This slab's values with those of so many planes of each neighbour, which no slab is thinner than. All
/// ranks make the call.
[[nodiscard]] PlaneValues with_neighbours(std::vector<double> values, const Problem& problem, int planes);

/// Makes an image, times a factor, of p times the drives at all points of this rank's slab. All ranks make
/// the call.
void make_image(std::vector<double>& products, double factor, ImagingCondition condition,
                const Problem& problem, const SampledMedium& medium);

/// The slabs' sums at their nodes together on the first rank, nothing on others. All ranks make the call.
[[nodiscard]] GradientSums joined_on_first(GradientSums own, const DomainCut& cut);

}  // namespace minimod
