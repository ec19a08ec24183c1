/// Cost of the layer on a device, by which domains are cut into slabs.
#pragma once

#include <optional>

#include "src/ranks/ranks.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

/// How many times as long as a point of the inner box a point of the layer takes there: by some steps of
/// these kernels, launched one after the other, on a small grid with such a layer. Nothing where it has none,
/// the launches do not tell the two apart, or the memory is too small.
[[nodiscard]] std::optional<double> measured_layer_cost(Backend& backend, const StepProblem& domain,
                                                        const KernelSet& kernels);

/// The mean of all ranks', which measure at once: one figure for all of them.
[[nodiscard]] std::optional<double> measured_layer_cost(Backend& backend, const StepProblem& domain,
                                                        const KernelSet& kernels, Ranks& ranks);

}  // namespace minimod
