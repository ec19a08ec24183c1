/// The wave equation's code shapes on a homogeneous medium, as what is measured.
#pragma once

#include <memory>
#include <vector>

#include "src/measure/subject.hpp"

namespace minimod {

/// `named`: the sets that names stand for; another name is that of an inner shape beside the reference.
[[nodiscard]] std::unique_ptr<Subject> make_wave_subject(Setup setup, DeviceChoice choice,
                                                         const KernelOptions& options, BenchField field,
                                                         std::vector<NamedKernels> named = {});

}  // namespace minimod
