/// A change of velocities at the nodes of a run, as linearised modelling takes one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/sampled_medium.hpp"

namespace minimod {

/// The nodes that changes and gradients are of: those of the run within the layer; of a section that is
/// extruded its own, one along y.
[[nodiscard]] Extent3 gradient_nodes(const SampledMedium& medium);

struct VelocityChange {
  std::string name;         ///< the source, as given
  Extent3 n;                ///< nodes, as gradient_nodes has them
  std::vector<float> v;     ///< m/s, of either sign, x fastest
  std::uint32_t crc32 = 0;  ///< checksum of these
};

/// Place among gradient_nodes of the one that a node of the grid has its velocity from: the layer's nodes
/// have those of the outermost within.
[[nodiscard]] std::size_t place_within(const Index3& node, const Box3& inner, Extent3 n);

/// Reads the change of a medium from a file, or an array, whose spacing is nobody's, with those nodes, or
/// with all nodes of the model's file, of which the model's crop is kept. A file is read as the model's file
/// is; "constant:DV" is one change of all nodes. Errors: those of the readers; 65 with the first difference
/// of nodes or spacing, and for a change that is not finite.
[[nodiscard]] VelocityChange load_change(const ModelSpec& change, const SampledMedium& medium);

}  // namespace minimod
