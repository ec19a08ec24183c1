/// The sea above a model: where V is at most that of water from the top down.
#pragma once

#include <vector>

#include "models/sampled_medium.hpp"
#include "src/io/gather/gather.hpp"
#include "src/job/shot/shot.hpp"
#include "src/ranks/ranks.hpp"

namespace minimod {

/// The fastest that counts as water, m/s.
inline constexpr float fastest_water = 1550;

/// Depths of the sea floor below z = 0 at the first source and then the receivers of the shot, m: of layers
/// exact, of a file half-way between the run's last node of water and the next one in the column of nodes
/// nearest to the position. 0 where the first node is no water, or where the model has no floor. Every rank
/// calls it.
[[nodiscard]] std::vector<double> water_depths(const SampledMedium& medium, const DomainCut& cut,
                                               const Shot& shot, Ranks& ranks);

/// Gives a gather the depths that water_depths has found.
void set_water_depths(ShotGather& gather, const std::vector<double>& depths);

}  // namespace minimod
