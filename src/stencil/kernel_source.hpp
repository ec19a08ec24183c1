/// The C++ of a specification's equations, and the sources of its kernels: what the compilers of
/// kernels/compiled get.
#pragma once

#include <span>
#include <string>

#include "kernels/compiled/shape_source.hpp"
#include "src/stencil/kernel_family.hpp"

namespace minimod::stencil {

/// Precision in which kernels compute: double where an array is, else float.
[[nodiscard]] Precision working_precision(const Specification& specification);

/// The type `Equations` that kernels/equations/arrays.hpp asks for. Each value is named once; products
/// are fused into the sums that they are added to; what depends on numbers and scalars alone is computed
/// here, in double. Nothing of the specification's own names is in it. Error 65 where such a constant is not
/// finite in the working precision.
[[nodiscard]] std::string equations_text(const Specification& specification);

/// Functions stencil_function(i), void (const ArrayArgs&), which emulate the threads of the i-th kernel.
[[nodiscard]] ShapeSource host_source(const Specification& specification,
                                      std::span<const KernelName> kernels);
[[nodiscard]] std::string stencil_function(std::size_t kernel);
/// The kernel of cores: stencil_function(0), which computes the points of its box.
[[nodiscard]] ShapeSource rows_source(const Specification& specification);

/// A launch of one kernel, whose argument is ArrayArgs.
[[nodiscard]] ShapeSource device_source(const Specification& specification, const KernelName& kernel,
                                        int launch = 0);

}  // namespace minimod::stencil
