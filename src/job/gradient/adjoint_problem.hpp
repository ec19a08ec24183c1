/// The transposed steps of a shot: their problem, the kernels that compute them, and where receivers feed
/// them.
#pragma once

#include "src/choice/device_choice.hpp"
#include "src/job/shot/shot.hpp"
#include "src/ranks/problem.hpp"

namespace minimod {

/// The problem of a shot with drives, which see fields as rows, as sums do.
[[nodiscard]] Problem with_drives(Problem problem);
/// The problem of the transposed steps, cut as the shot's is. Error 64 for a cut beside a transposed pml,
/// which reaches a plane beyond its layer.
[[nodiscard]] Problem adjoint_problem(const Problem& problem);
/// Kernels of the shot, or where these are none for the transpose such as are fast for it.
[[nodiscard]] KernelSet kernels_of_adjoint(const Problem& adjoint, const DeviceChoice& choice);
/// Shares of the nodes in a receiver.
[[nodiscard]] NodeWeights place_of_receiver(const Problem& problem, const Shot& shot, std::size_t i);

}  // namespace minimod
