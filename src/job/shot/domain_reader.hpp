/// Takes points of a wavefield whose domain may be cut into slabs.
#pragma once

#include <memory>

#include "src/device/field_kernels.hpp"
#include "src/job/plan/plan.hpp"
#include "src/ranks/ranks.hpp"

namespace minimod {

/// A reader of the plan's snapshot nodes, of fields that have the ghosts of that schedule. Where the domain
/// is cut every rank makes one and starts it, and the first one has the values; then `start` waits until they
/// are there. Error 71.
[[nodiscard]] std::unique_ptr<FieldReader> make_reader_of_domain(const RunPlan& plan,
                                                                 const Schedule& schedule, Backend& backend,
                                                                 Ranks& ranks);

}  // namespace minimod
