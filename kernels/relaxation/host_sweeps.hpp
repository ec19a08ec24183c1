/// Relaxation on the host.
#pragma once

#include "kernels/relaxation/plate.hpp"

namespace minimod::relaxation {

/// The nodes of one colour, on all cores; colours lie apart.
template <class Real>
void relax_on_all_cores(const PlateArgs<Real>& args, void* stream);

/// At red all nodes, x fastest, each from what those before it have become (equation 3 of Itu et al. 2011);
/// at black nothing.
template <class Real>
void relax_in_sequence(const PlateArgs<Real>& args, void* stream);

}  // namespace minimod::relaxation
