/// A specification's kernels, as what is measured.
#pragma once

#include <memory>

#include "src/measure/stencil_measurement.hpp"
#include "src/measure/subject.hpp"

namespace minimod {

/// The device may be that of other specifications, too.
[[nodiscard]] std::unique_ptr<Subject> make_stencil_subject(stencil::Specification specification, Extent3 n,
                                                            std::shared_ptr<const StencilDevice> device);

}  // namespace minimod
