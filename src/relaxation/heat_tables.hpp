/// Tables I to III and figure 7 of Itu et al. 2011 anew, with the paper's figures beside them.
#pragma once

#include <string_view>

#include "src/base/json.hpp"
#include "src/relaxation/heat_measurement.hpp"

namespace minimod::relaxation {

/// The text of perf/references/itu_2011.json, which the build embeds.
extern const std::string_view itu_tables;

/// Measures and prints them: I with the first of the kernels, II with all, both on the fine grid, III with
/// the fastest against the host's `sequential` and `kokkos`. For the record.
[[nodiscard]] Json make_heat_tables(Backend& backend, const std::vector<const Kernel*>& kernels,
                                    const Kernel& fastest, const HeatSetup& setup);

}  // namespace minimod::relaxation
